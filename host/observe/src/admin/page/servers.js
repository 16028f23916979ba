// The tables of servers, in a view of many, and of origins.

import { bytes, count, rate, span } from './format.js';
import { find, make, say, sayCut, show, syncRows } from './dom.js';

const lines = (td, first, second) => {
  if (!td.firstChild) td.append(make('span'), make('small'));
  sayCut(td.firstChild, first);
  sayCut(td.lastChild, second);
  show(td.lastChild, second !== '');
};

// The label is shown on narrow screens, which have no head.
const cells = (...kinds) => kinds.map(([label, kind]) => make('td', { ...(label && { 'data-label': label }), ...(kind && { class: kind }) }));

// A click on a server filters all rows by its name; a second click removes the filter.
const choose = (name) => {
  const filter = find('filter');
  filter.value = filter.value === name ? '' : name;
  filter.dispatchEvent(new Event('input'));
};

export const servers = (rows) => {
  show(find('servers-card'), rows.length > 0);
  syncRows(
    find('servers').tBodies[0],
    rows,
    (row) => row.server,
    (row) => {
      const tr = make('tr', { class: 'choice', tabindex: 0 }, ...cells(['', ''], ['', ''], ['running', 'n'], ['rate', 'n'], ['ended', 'n'], ['failed', 'n'], ['refused', 'n'], ['', ''], ['version', '']));
      tr.addEventListener('click', () => choose(row.server));
      tr.addEventListener('keydown', (event) => {
        if (event.key === 'Enter') choose(row.server);
      });
      return tr;
    },
    (tr, row) => {
      const [name, state, active, speed, ended, failures, refused, configuration, version] = tr.cells;
      tr.setAttribute('aria-selected', find('filter').value === row.server);
      say(name, row.server);
      const silent = row.silent_seconds > 0;
      say(state, silent ? `silent for ${span(row.silent_seconds)}` : row.ready ? 'ready' : 'not ready');
      state.classList.toggle('trouble', silent || !row.ready);
      say(active, count(row.active));
      say(speed, rate(row.bytes_per_second));
      say(ended, count(row.ended));
      say(failures, count(row.failures));
      failures.classList.toggle('trouble', row.failures > 0);
      say(refused, count(row.refused ?? 0));
      lines(configuration, row.revision ?? '', `generation ${row.generation}`);
      say(version, row.version);
    },
  );
};

const stateOf = (row) => {
  if (row.cache_error) return ['cache unusable', row.cache_error];
  if (row.away_seconds !== undefined) return [`away for ${span(row.away_seconds)}`, row.why ?? ''];
  if (row.breaker !== 'closed') return ['breaker open', ''];
  return ['answers', ''];
};

export const origins = (rows) => {
  show(find('origins-card'), rows.length > 0);
  syncRows(
    find('origins').tBodies[0],
    rows,
    (row) => row.root,
    () => make('tr', {}, ...cells(['', ''], ['', ''], ['hits', 'n'], ['misses', 'n'], ['stale', 'n'], ['fetched', 'n'], ['cache', 'n'])),
    (tr, row) => {
      const [name, state, hits, misses, stale, fetched, cache] = tr.cells;
      lines(name, row.root, row.origin);
      const [word, why] = stateOf(row);
      lines(state, word, why);
      state.classList.toggle('trouble', word !== 'answers');
      say(hits, count(row.hits));
      say(misses, count(row.misses));
      say(stale, count(row.stale));
      stale.classList.toggle('trouble', row.stale > 0);
      say(fetched, bytes(row.received));
      lines(cache, bytes(row.cache_bytes), row.cache_limit > 0 ? `of ${bytes(row.cache_limit)}` : '');
    },
  );
};
