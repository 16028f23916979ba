// The tables: what runs, what ended, plugins, queues.

import { bytes, clock, count, micros, quantile, rate, span } from './format.js';
import { find, make, say, show, syncRows } from './dom.js';

export const OUTCOMES = ['served', 'stored', 'probed', 'aborted', 'denied', 'not-found', 'timed-out', 'failed'];

const cell = (label, kind = '') => {
  const attributes = {};
  if (label) attributes['data-label'] = label;
  if (kind) attributes.class = kind;
  return make('td', attributes);
};

// Two lines of a cell, the second smaller.
const lines = (td, first, second) => {
  if (!td.firstChild) td.append(make('span'), make('small'));
  say(td.firstChild, first);
  say(td.lastChild, second);
  show(td.firstChild, first !== '');
  show(td.lastChild, second !== '');
};

const client = (td, one) => lines(td, one.client, [one.mac, one.class === 'unknown' ? null : one.class].filter(Boolean).join(' · '));

const file = (td, one) => {
  const plainly = one.resolved && one.resolved.endsWith(`:${one.path}`);
  const arrow = one.operation === 'write' ? '↑ ' : '';
  lines(td, arrow + one.path, one.resolved && !plainly ? `→ ${one.resolved}` : '');
};

const matches = (one, words) => {
  if (words.length === 0) return true;
  const all = [one.client, one.mac, one.class, one.listener, one.operation, one.path, one.resolved, one.verdict_by, one.outcome, one.detail, ...(one.tried ?? []), one.id];
  const text = all.filter(Boolean).join('\n').toLowerCase();
  return words.every((word) => text.includes(word));
};

const some = (shown, all, more) => (shown === all ? count(all) + more : `${count(shown)} of ${count(all)}${more}`);

export const active = (rows, total, words) => {
  const shown = rows.filter((row) => matches(row, words));
  syncRows(
    find('active').tBodies[0],
    shown,
    (row) => row.id,
    () => {
      const bar = make('div', { class: 'progress', role: 'progressbar', 'aria-valuemin': 0, 'aria-valuemax': 100 }, make('div'));
      const progress = make('td', { class: 'wide' }, bar, make('small'));
      return make('tr', {}, cell('', ''), cell('', 'wide'), progress, cell('', 'n'), cell('resent', 'n'), cell('age', 'n'));
    },
    (tr, row) => {
      const [who, what, progress, speed, again, age] = tr.cells;
      client(who, row);
      file(what, row);
      const part = row.size ? Math.min(1, row.bytes / row.size) : null;
      const bar = progress.firstChild;
      bar.classList.toggle('unknown', part === null);
      if (part !== null) {
        bar.setAttribute('aria-valuenow', Math.floor(part * 100));
        bar.firstChild.style.width = `${(part * 100).toFixed(1)}%`;
      }
      say(progress.lastChild, part === null ? bytes(row.bytes) : `${Math.floor(part * 100)} % of ${bytes(row.size)}`);
      say(speed, rate(row.bytes_per_second));
      say(again, row.retransmissions === 0 ? '0' : count(row.retransmissions));
      again.classList.toggle('trouble', row.retransmissions > 0);
      say(age, micros(row.running_us));
    },
  );
  say(find('active-count'), some(shown.length, total, ''));
  show(find('active-empty'), shown.length === 0);
  say(find('active-empty'), rows.length === 0 ? 'Nothing runs.' : 'Nothing that runs matches the filter.');
};

export const finished = (rows, words, outcomes) => {
  const shown = rows.filter((row) => (outcomes.size === 0 || outcomes.has(row.outcome)) && matches(row, words));
  syncRows(
    find('finished').tBodies[0],
    shown,
    (row) => row.id,
    () => make('tr', {}, cell(''), cell(''), cell('', 'wide'), cell('', 'wide'), cell('', 'wide'), cell('', 'n'), cell('took', 'n'), cell('resent', 'n')),
    (tr, row) => {
      // What has ended does not change.
      if (tr.cells[0].firstChild) return;
      const [at, outcome, who, what, why, size, took, again] = tr.cells;
      say(at, clock(row.ended_unix_ms));
      const badge = make('span', { class: 'badge' }, row.outcome);
      badge.style.setProperty('--mark', `var(--${OUTCOMES.includes(row.outcome) ? row.outcome : 'probed'})`);
      outcome.append(badge);
      client(who, row);
      file(what, row);
      const more = [row.verdict_by && `by ${row.verdict_by}`, row.tried?.length && `tried ${row.tried.join(', ')}`, row.hint];
      lines(why, row.detail ?? '', more.filter(Boolean).join(' · '));
      say(size, row.bytes === 0 ? '–' : bytes(row.bytes));
      say(took, micros(row.duration_us));
      say(again, count(row.retransmissions));
    },
  );
  say(find('finished-count'), some(shown.length, rows.length, rows.length === 200 ? ', the last ones' : ''));
  show(find('finished-empty'), shown.length === 0);
  say(find('finished-empty'), rows.length === 0 ? 'Nothing has ended yet.' : 'Nothing that ended matches the filter.');
};

export const plugins = (rows) => {
  syncRows(
    find('plugins').tBodies[0],
    rows,
    (row) => row.plugin,
    () => make('tr', {}, cell(''), cell('', 'n'), cell('', 'n'), cell('', 'n'), cell('', 'n'), cell('')),
    (tr, row) => {
      const [name, calls, median, slow, failed, breaker] = tr.cells;
      const hooks = row.durations.filter(([, times]) => times.buckets.some(Boolean));
      const causes = row.failures.filter(([, failures]) => failures > 0);
      const all = (hooks[0]?.[1].buckets ?? []).map((_, index) => hooks.reduce((sum, [, times]) => sum + times.buckets[index], 0));
      const failures = causes.reduce((sum, [, failures]) => sum + failures, 0);
      lines(name, row.plugin, row.loaded ? hooks.map(([hook]) => hook).join(', ') : 'not in the configuration any more');
      const hits = row.cache_hits > 0 ? `${count(row.cache_hits)} remembered` : '';
      lines(calls, count(row.calls), row.running + row.waiting > 0 ? `${row.running} run, ${row.waiting} wait` : hits);
      say(median, micros(quantile(all, 0.5)));
      say(slow, micros(quantile(all, 0.99)));
      lines(failed, count(failures), causes.map(([cause, failures]) => `${cause} ${count(failures)}`).join(', '));
      failed.classList.toggle('trouble', failures > 0);
      lines(breaker, row.breaker_open ? 'open' : 'closed', row.opened > 0 ? `opened ${count(row.opened)} times` : '');
      breaker.classList.toggle('trouble', row.breaker_open);
    },
  );
  show(find('plugins-empty'), rows.length === 0);
};

const pairs = (table, rows) =>
  syncRows(
    find(table).tBodies[0],
    rows,
    ([name]) => name,
    () => make('tr', {}, cell(''), cell('', 'n')),
    (tr, [name, value]) => {
      say(tr.cells[0], name);
      say(tr.cells[1], value);
    },
  );

export const queues = (totals) => {
  const { queues, file_cache: cache } = totals;
  const sinks = queues.sinks.map((sink) => [`lines in the sink ${sink.sink}${sink.broken ? ', which is broken' : ''}`, count(sink.lines)]);
  const asked = cache.hits + cache.misses;
  pairs('queues', [
    ['requests, for their decision', count(queues.decisions)],
    ['outcomes, for the log', count(queues.summaries)],
    ['events, for observers', count(queues.events)],
    ['transfers, for the first answer', count(totals.half_open)],
    ...sinks,
    ['hot files in memory', `${bytes(cache.bytes)} of ${bytes(cache.capacity)}`],
    ['files found there', asked === 0 ? '–' : `${((100 * cache.hits) / asked).toFixed(1)} %`],
  ]);
  // There are many limits, and most are never reached.
  const shown = ({ reason, count: times }) => times > 0 || !reason.startsWith('limit-');
  pairs('dropped', totals.dropped.filter(shown).map(({ reason, count: times }) => [reason, count(times)]));
};

export const figures = (snapshot, sample) => {
  const decision = quantile(snapshot.totals.decision.buckets, 0.99);
  const ended = sample ? sample.ended.reduce((sum, value) => sum + value, 0) / (sample.elapsed_ms / 1000) : 0;
  const rows = [
    ['running', count(snapshot.totals.active)],
    ['to clients', rate(sample?.bytes_per_second.read ?? 0)],
    ['from clients', rate(sample?.bytes_per_second.write ?? 0)],
    ['requests a second', ended < 10 ? ended.toFixed(1) : count(Math.round(ended))],
    ['decided within, 99 %', micros(decision)],
    ['packets resent', count(snapshot.totals.retransmissions)],
    ['up for', span((snapshot.unix_ms - snapshot.started_unix_ms) / 1000)],
  ];
  const place = find('figures');
  rows.forEach(([name, value], index) => {
    if (!place.children[index]) place.append(make('div', { class: 'figure' }, make('b'), make('span', {}, name)));
    say(place.children[index].firstChild, value);
  });
};
