// The tables of running and ended requests, plugins, and queues.

import { bytes, clock, count, isMuch, micros, percent, quantile, rate, span, within } from './format.js';
import { detailsRow, fillDetails, isOpen, toggle } from './details.js';
import { find, make, say, sayCut, sayPath, show, syncRows } from './dom.js';
import { matches } from './filter.js';
import { sorted } from './sort.js';

export const OUTCOMES = ['served', 'stored', 'probed', 'aborted', 'denied', 'not-found', 'timed-out', 'failed'];
// The outcomes that count as failures, and those that are refusals.
export const FAILURES = ['failed', 'timed-out'];
export const REFUSALS = ['denied', 'not-found'];

// After this many seconds without a byte, the server calls a transfer stuck.
const STUCK = 3;
// The rows of a table before it is expanded.
const FEW = 15;
const whole = new Set();
let changed = () => {};

// Sets the function to call when a click changes the tables.
export const onChange = (act) => {
  changed = act;
};

const cell = (label, kind = '') => {
  const attributes = {};
  if (label) attributes['data-label'] = label;
  if (kind) attributes.class = kind;
  return make('td', attributes);
};

// Two lines of a cell, the second smaller.
const lines = (td, first, second) => {
  if (!td.firstChild) td.append(make('span'), make('small'));
  sayCut(td.firstChild, first);
  sayCut(td.lastChild, second);
  show(td.firstChild, first !== '');
  show(td.lastChild, second !== '');
};

const client = (td, one) => lines(td, one.client, [one.mac, one.class === 'unknown' ? null : one.class].filter(Boolean).join(' · '));

const file = (td, one) => {
  const plainly = one.resolved && one.resolved.endsWith(`:${one.path}`);
  const arrow = one.operation === 'write' ? '↑ ' : '';
  const server = one.server ? `${one.server}: ` : '';
  if (!td.firstChild) td.append(make('span'), make('small'));
  sayPath(td.firstChild, server + arrow + one.path);
  sayPath(td.lastChild, one.resolved && !plainly ? `→ ${one.resolved}` : '');
  show(td.lastChild, Boolean(one.resolved && !plainly));
};

const some = (shown, all, more) => (shown === all ? count(all) + more : `${count(shown)} of ${count(all)}${more}`);

// An estimate of the blocks of a running transfer, with the one in flight.
const blocksOf = (row) => {
  if (row.blocks !== undefined) return row.blocks;
  const granted = Number((row.options ?? []).find(([name]) => name === 'blksize')?.[1]);
  return Math.ceil(row.bytes / (granted >= 8 ? granted : 512)) + 1;
};

const resent = (td, row) => {
  const sent = blocksOf(row) + row.retransmissions;
  say(td, percent(row.retransmissions, sent));
  td.title = `${count(row.retransmissions)} of ${count(sent)} packets`;
  td.classList.toggle('trouble', isMuch(row.retransmissions, sent));
};

// Shows the first rows, or all of them, each with its details below if they are open.
const fill = (name, all, columns, create, update) => {
  const table = find(name);
  const shown = whole.has(name) ? all : all.slice(0, FEW);
  const items = shown.flatMap((row) => (isOpen(row.id) ? [{ key: row.id, row }, { key: `${row.id} details`, row, details: true }] : [{ key: row.id, row }]));
  syncRows(
    table.tBodies[0],
    items,
    (item) => item.key,
    (item) => {
      if (item.details) return detailsRow(columns);
      const tr = create();
      tr.className = 'request';
      tr.tabIndex = 0;
      const turn = () => {
        // Selecting text is not a click.
        if (String(getSelection()) !== '') return;
        toggle(item.row.id);
        changed();
      };
      tr.addEventListener('click', turn);
      tr.addEventListener('keydown', (event) => {
        if (event.key === 'Enter') turn();
      });
      return tr;
    },
    (tr, item) => {
      if (item.details) return fillDetails(tr, item.row);
      tr.setAttribute('aria-expanded', isOpen(item.row.id));
      return update(tr, item.row);
    },
  );
  const more = find(`${name}-more`);
  show(more, all.length > FEW);
  say(more, whole.has(name) ? `Show the first ${FEW}` : `Show all ${count(all.length)}`);
  more.onclick = () => {
    if (!whole.delete(name)) whole.add(name);
    changed();
  };
};

// `matching` is how many of all match the words, if that is known.
export const active = (rows, total, matching, words) => {
  const shown = sorted('active', rows.filter((row) => matches(row, words)));
  fill(
    'active',
    shown,
    6,
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
      say(speed, row.idle_seconds >= STUCK ? `still ${span(row.idle_seconds)}` : rate(row.bytes_per_second));
      speed.classList.toggle('trouble', row.idle_seconds >= STUCK);
      resent(again, row);
      say(age, micros(row.running_us));
    },
  );
  say(find('active-count'), matching === null ? some(shown.length, total, '') : `${some(shown.length, matching, ' that match')}, ${count(total)} run`);
  show(find('active-empty'), shown.length === 0);
  say(find('active-empty'), total === 0 || words.length === 0 ? 'Nothing runs.' : 'Nothing that runs matches the filter.');
};

// Failures come first, then refusals.
const severity = (row) => (FAILURES.includes(row.outcome) ? 2 : REFUSALS.includes(row.outcome) ? 1 : 0);

// The server has filtered the rows, so none of them does not mean that nothing has ended.
export const finished = (rows, total, words, outcomes) => {
  let shown = rows.filter((row) => (outcomes.size === 0 || outcomes.has(row.outcome)) && matches(row, words));
  // Each part stays in its order, newest first.
  shown.sort((a, b) => severity(b) - severity(a));
  shown = sorted('finished', shown);
  fill(
    'finished',
    shown,
    8,
    () => make('tr', {}, cell('', 'time'), cell(''), cell('', 'wide'), cell('', 'wide'), cell('', 'wide'), cell('', 'n'), cell('took', 'n'), cell('resent', 'n')),
    (tr, row) => {
      // Ended requests do not change.
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
      resent(again, row);
    },
  );
  say(find('finished-count'), some(shown.length, rows.length, rows.length === 200 ? ', the last ones' : ''));
  show(find('finished-empty'), shown.length === 0);
  say(find('finished-empty'), total === 0 ? 'Nothing has ended yet.' : 'Nothing that ended matches the filter.');
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
      const digest = row.sha256 && `sha256:${row.sha256.slice(0, 12)}`;
      const stored = row.keys > 0 && `${count(row.keys)} keys, ${bytes(row.key_bytes)}`;
      const loaded = [row.version, row.component, digest, row.verified && 'signature verified', stored, hooks.map(([hook]) => hook).join(', ')].filter(Boolean).join(' · ');
      lines(name, row.plugin, row.loaded ? loaded : 'not in the configuration any more');
      const hits = row.cache_hits > 0 ? `${count(row.cache_hits)} remembered` : '';
      lines(calls, count(row.calls), row.running + row.waiting > 0 ? `${row.running} run, ${row.waiting} wait` : hits);
      say(median, within(quantile(all, 0.5)));
      say(slow, within(quantile(all, 0.99)));
      const share = failures > 0 && row.calls > 0 ? ` (${percent(failures, row.calls)})` : '';
      lines(failed, count(failures) + share, causes.map(([cause, failures]) => `${cause} ${count(failures)}`).join(', '));
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
  const asked = cache.hits + cache.misses;
  const waiting = [
    ['requests, for their decision', queues.decisions],
    ['outcomes, for the log', queues.summaries],
    ['events, for observers', queues.events],
    ['half-open transfers, for the client\'s first answer', totals.half_open],
    ...(totals.profiles ?? []).map(({ profile, waiting }) => [`transfers of profile ${profile}, for its total rate`, waiting]),
    ...queues.sinks.map((sink) => [`lines in the sink ${sink.sink}${sink.broken ? ', which is broken' : ''}`, sink.lines, sink.broken]),
  ].filter(([, times, broken]) => times > 0 || broken);
  pairs('queues', [
    ...(waiting.length ? waiting.map(([name, times]) => [name, count(times)]) : [['nothing waits', '']]),
    ['hot files in memory', `${bytes(cache.bytes)} of ${bytes(cache.capacity)}`],
    ...(asked === 0 ? [] : [['files found there', `${((100 * cache.hits) / asked).toFixed(1)} %`]]),
  ]);
  const dropped = totals.dropped.filter(({ count: times }) => times > 0);
  show(find('dropped-title'), dropped.length > 0);
  pairs('dropped', dropped.map(({ reason, count: times }) => [reason, count(times)]));
};
