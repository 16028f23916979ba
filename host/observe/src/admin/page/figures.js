// The tiles: rates and states of the last second, and totals since the start.

import { count, isMuch, percent, quantile, rate, span, within } from './format.js';
import { find, make, say } from './dom.js';
import { FAILURES, REFUSALS } from './tables.js';

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
  const sum = (outcomes) => outcomes.reduce((all, outcome) => all + of(outcome), 0);
  const each = (outcomes) => outcomes.map((outcome) => `${outcome} ${count(of(outcome))}`).join(', ');
  const sent = totals.blocks.read + totals.blocks.write + snapshot.active_blocks + totals.retransmissions;
  const age = (snapshot.unix_ms - snapshot.started_unix_ms) / 1000;
  // No request of one server waited for longer than that server runs.
  const longest = snapshot.servers?.length ? Infinity : age * 1e6;
  const decided = quantile(totals.decision.buckets, 0.99);
  tiles(find('figures-total'), [
    ['requests', count(all)],
    ['failed', count(sum(FAILURES)), each(FAILURES), sum(FAILURES) > 0],
    ['refused', count(sum(REFUSALS)), each(REFUSALS)],
    ['resent', percent(totals.retransmissions, sent), `${count(totals.retransmissions)} of about ${count(sent)} packets`, isMuch(totals.retransmissions, sent)],
    ['99 % decided', within(decided, longest), '99 of 100 requests since the start were decided within this time, as precise as the buckets of the histogram'],
    ['up for', span(age)],
  ]);
};
