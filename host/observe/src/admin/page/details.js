// The details of a request: all its data in the snapshot, in a row below its own.

import { bytes, clock, count, micros, span } from './format.js';
import { make } from './dom.js';

const OPEN = new Set();

// Opens or closes the details of a request.
export const toggle = (id) => {
  if (!OPEN.delete(id)) OPEN.add(id);
};

export const isOpen = (id) => OPEN.has(id);

const options = (pairs) => (pairs?.length ? pairs.map(([name, value]) => `${name}=${value}`).join(', ') : null);

const call = (one) => {
  const how = [one.cached && 'from the cache', one.monitored && 'monitored', one.failure && `failed: ${one.failure}`].filter(Boolean);
  return `${one.plugin} (${one.hook}): ${one.verdict}, ${micros(one.took_us)}${how.length ? `, ${how.join(', ')}` : ''}`;
};

const policy = (one) => {
  if (one.plugins?.length) return one.plugins.map(call).join('\n');
  if (!one.plugin_calls) return null;
  return `${count(one.plugin_calls)} ${one.plugin_calls === 1 ? 'call' : 'calls'}`;
};

const named = (name) => (name[0].toUpperCase() + name.slice(1)).replaceAll('_', ' ');

// Returns the facts as [name, text]; a text may have several lines.
const facts = (one) => {
  const ended = one.outcome !== undefined;
  const sent = one.retransmissions > 0 || ended ? `${count(one.retransmissions)} packets` : null;
  return [
    ['Request', `${one.operation} ${one.path}`],
    ['File', one.resolved],
    ['Client', [one.client, one.mac && `${one.mac}${one.mac_source ? ` (${one.mac_source})` : ''}`, one.class].filter(Boolean).join(' · ')],
    ['Listener', one.listener],
    ['Outcome', ended ? `${one.outcome} (${one.decision})` : null],
    ['Reason', one.detail],
    ['Hint', one.hint],
    ['Decided by', one.verdict_by ?? 'the configuration'],
    ['Plugins', policy(one)],
    ['Tried', one.tried?.length ? one.tried.join('\n') + (one.tried_by ? `\nproposed by ${one.tried_by}` : '') : null],
    ['In another case', one.other_case?.join('\n')],
    ['Options requested', options(one.requested_options) ?? 'none'],
    // Null until the worker has negotiated them.
    ['Options granted', one.options ? (options(one.options) ?? 'none') : null],
    ['Size', one.size === null || one.size === undefined ? null : bytes(one.size)],
    ['At most', one.rate ? `${bytes(one.rate)}/s` : null],
    ['Arrived', `${bytes(one.bytes)}${one.blocks === undefined ? '' : ` in ${count(one.blocks)} blocks`}`],
    ['Nothing moved for', one.idle_seconds > 0 ? span(one.idle_seconds) : null],
    ['Resent', sent],
    ['Duplicates, time-outs', ended ? `${count(one.duplicates)}, ${count(one.timeouts)}` : null],
    ['Decision after', one.decision_us === null || one.decision_us === undefined ? null : micros(one.decision_us)],
    ['First block after', one.first_block_us === null || one.first_block_us === undefined ? null : micros(one.first_block_us)],
    ['Round trip', one.rtt_us === null || one.rtt_us === undefined ? null : micros(one.rtt_us)],
    ['Took', ended ? micros(one.duration_us) : null],
    ['Started', one.started_unix_ms ? clock(one.started_unix_ms) : null],
    ['Ended', ended ? clock(one.ended_unix_ms) : null],
    ...Object.entries(one.facts ?? {}).map(([name, value]) => [named(name), String(value)]),
    ['Request ID', one.id],
  ].filter(([, text]) => text);
};

export const detailsRow = (columns) => make('tr', { class: 'details' }, make('td', { colspan: columns }, make('dl')));

export const fillDetails = (tr, one) => {
  const list = tr.querySelector('dl');
  const all = facts(one);
  // Unchanged text stays, so that it can be selected.
  const shown = JSON.stringify(all);
  if (list.shown === shown) return;
  list.shown = shown;
  list.replaceChildren(
    ...all.map(([name, text]) => make('div', {}, make('dt', {}, name), make('dd', {}, ...text.split('\n').map((line) => make('span', {}, line))))),
  );
};
