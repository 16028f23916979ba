// Tables sorted by a click on a header. The server sorts the running transfers, too, because it sends few of them.

import { find, make } from './dom.js';

const part = (row) => (row.size ? row.bytes / row.size : 0);
const number = (of) => (a, b) => of(b) - of(a);
const text = (of) => (a, b) => of(a).localeCompare(of(b), 'en', { numeric: true });

const KEYS = {
  client: text((row) => row.client),
  file: text((row) => row.path),
  rate: (a, b) => b.bytes_per_second - a.bytes_per_second || (a.idle_seconds ?? 0) - (b.idle_seconds ?? 0),
  progress: number(part),
  resent: number((row) => row.retransmissions),
  age: number((row) => row.running_us),
  at: number((row) => row.ended_unix_ms),
  outcome: text((row) => row.outcome),
  bytes: number((row) => row.bytes),
  took: number((row) => row.duration_us),
};

// By table: the key and whether its order is reversed; none is the order of the server.
const chosen = new Map();

export const sorted = (table, rows) => {
  const order = chosen.get(table);
  if (!order) return rows;
  const by = KEYS[order.key];
  return rows.toSorted((a, b) => (order.reversed ? by(b, a) : by(a, b)));
};

// Returns the order of a table as the server reads it; empty for its own order.
export const orderOf = (table) => {
  const order = chosen.get(table);
  return order ? `${order.reversed ? '-' : ''}${order.key}` : '';
};

// A click sorts by a column, the next one in the other direction, and the third restores the order of the server.
const turn = (table, key) => {
  const order = chosen.get(table);
  // The slow transfers are looked for, not the fast ones.
  const first = key === 'rate';
  if (order?.key !== key) chosen.set(table, { key, reversed: first });
  else if (order.reversed === first) chosen.set(table, { key, reversed: !first });
  else chosen.delete(table);
};

// Makes the headers with `data-sort` buttons; `changed(table)` is called after a click.
export const sortable = (table, changed) => {
  const heads = [...find(table).tHead.querySelectorAll('[data-sort]')];
  for (const head of heads) {
    const button = make('button', { type: 'button' }, ...head.childNodes);
    head.replaceChildren(button);
    button.addEventListener('click', () => {
      turn(table, head.dataset.sort);
      const order = chosen.get(table);
      for (const other of heads) {
        const rises = ['client', 'file', 'outcome'].includes(other.dataset.sort) !== Boolean(order?.reversed);
        if (other.dataset.sort === order?.key) other.setAttribute('aria-sort', rises ? 'ascending' : 'descending');
        else other.removeAttribute('aria-sort');
      }
      changed(table);
    });
  }
};
