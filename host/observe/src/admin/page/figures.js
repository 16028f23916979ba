// The tiles: rates and states of the last second, and totals since the start.

import { count, micros, percent, quantile, rate, span } from './format.js';
import { find, make, say } from './dom.js';
import { FAILURES, blocksOf } from './tables.js';

const tiles = (place, rows) =>
  rows.forEach(([name, value, title = '', bad = false], index) => {
    if (!place.children[index]) place.append(make('div', { class: 'figure' }, make('b'), make('span', {}, name)));
    const tile = place.children[index];
    say(tile.firstChild, value);
    if (tile.title !== title) tile.title = title;
    tile.classList.toggle('bad', bad);
  });

export const figures = (snapshot, sample) => {
  const { totals } = snapshot;
  const ended = sample ? sample.ended.reduce((sum, value) => sum + value, 0) / (sample.elapsed_ms / 1000) : 0;
  tiles(find('figures-now'), [
    ['running', count(totals.active)],
    ['to clients', rate(sample?.bytes_per_second.read ?? 0)],
    ['from clients', rate(sample?.bytes_per_second.write ?? 0)],
    ['requests/s', ended < 10 ? ended.toFixed(1) : count(Math.round(ended))],
  ]);
  const all = totals.ended.reduce((sum, one) => sum + one.count, 0);
  const of = (outcome) => totals.ended.reduce((sum, one) => sum + (one.outcome === outcome ? one.count : 0), 0);
  const failed = FAILURES.map((outcome) => [outcome, of(outcome)]).filter(([, times]) => times > 0);
  const failures = failed.reduce((sum, [, times]) => sum + times, 0);
  const blocks = totals.blocks.read + totals.blocks.write + snapshot.active.reduce((sum, row) => sum + blocksOf(row), 0);
  const sent = blocks + totals.retransmissions;
  tiles(find('figures-total'), [
    ['requests', count(all)],
    ['failures', count(failures), failed.map(([outcome, times]) => `${outcome} ${count(times)}`).join(', '), failures > 0],
    ['resent', percent(totals.retransmissions, sent), `${count(totals.retransmissions)} of about ${count(sent)} packets`],
    ['decision p99', micros(quantile(totals.decision.buckets, 0.99))],
    ['up for', span((snapshot.unix_ms - snapshot.started_unix_ms) / 1000)],
  ]);
};
