// The live view: follows the stream of snapshots and shows the latest one.

import { Chart } from './charts.js';
import { find, make, say, sayCut, show } from './dom.js';
import { again, follow } from './feed.js';
import { count, microsMark, rate, rateMark, span, within } from './format.js';
import { figures } from './figures.js';
import { origins, servers } from './servers.js';
import { orderOf, sortable } from './sort.js';
import { OUTCOMES, active, finished, onChange, plugins, queues } from './tables.js';

// As many samples as the server keeps.
const SAMPLES = 600;

const color = (name) => `var(--${name})`;
const charts = [
  new Chart(find('chart-outcomes'), OUTCOMES.map((name, index) => ({ name, color: color(name), of: (sample) => sample.ended[index] / (sample.elapsed_ms / 1000) })), {
    stacked: true,
    format: (value) => (Number.isInteger(value) || value >= 10 ? count(Math.round(value)) : value.toFixed(1)),
  }),
  new Chart(
    find('chart-throughput'),
    [
      { name: 'to clients', color: color('read'), of: (sample) => sample.bytes_per_second.read },
      { name: 'from clients', color: color('write'), of: (sample) => sample.bytes_per_second.write },
    ],
    { format: rate, mark: rateMark },
  ),
  new Chart(
    find('chart-latency'),
    [
      { name: 'decision p50', color: color('p50'), of: (sample) => sample.decision_p50_us },
      { name: 'p99', color: color('p99'), of: (sample) => sample.decision_p99_us },
      { name: 'transfer p50', color: color('p50b'), of: (sample) => sample.duration_p50_us },
      { name: 'p99', color: color('p99b'), of: (sample) => sample.duration_p99_us },
    ],
    { log: true, format: (value) => within(value), mark: microsMark },
  ),
];

let [last, samples, seconds, lostAt] = [null, [], 300, null];
const outcomes = new Set();

const words = () => find('filter').value.toLowerCase().split(/\s+/).filter(Boolean);

// What the server does not know is not asked of it: a filter that is half typed.
const whole = (word) => !/^(state|outcome):/.test(word) || [...OUTCOMES.map((name) => `outcome:${name}`), 'state:stuck', 'state:moving'].includes(word);

// The rows that the server is asked for.
const wanted = () => [['sort', orderOf('active')], ['filter', words().filter(whole).join(' ')]].filter(([, value]) => value);

// The first snapshot of a connection has all samples, the others only the newest; adds the new ones.
const keep = (snapshot) => {
  if (last?.started_unix_ms !== snapshot.started_unix_ms) samples = [];
  const newest = samples.at(-1)?.unix_ms ?? 0;
  samples = [...samples, ...snapshot.samples.filter((sample) => sample.unix_ms > newest)].slice(-SAMPLES);
  last = snapshot;
};

// How many running transfers match the filter; null without one, and where that is not known: until the server has
// answered, and in a view of many servers, which has only some of their rows.
const matching = () => {
  const filter = words().join(' ');
  return filter && filter === last.filter && !last.servers?.length ? last.matching : null;
};

const tables = () => {
  if (!last) return;
  active(last.active, last.totals.active, matching(), words());
  finished(last.finished, last.totals.ended.reduce((sum, one) => sum + one.count, 0), words(), outcomes);
  servers(last.servers ?? []);
};

const plots = () => charts.forEach((chart) => chart.set(samples, seconds));

const paint = () => {
  say(find('about'), [last.host, last.version, last.generation ? `configuration ${last.generation}` : ''].filter(Boolean).join(' · '));
  const listeners = (last.listeners ?? []).map((one) => `${one.listener} ${one.address}`).join(', ');
  const roots = (last.roots ?? []).map((one) => one.root + (one.hung ? ' (does not answer)' : '')).join(', ');
  sayCut(find('listeners'), listeners ? `Listeners: ${listeners}` : '');
  sayCut(find('roots'), roots ? `Roots: ${roots}` : '');
  const ready = find('ready');
  show(ready, true);
  say(ready, last.state);
  ready.className = `pill ${last.ready ? 'good' : 'bad'}`;
  find('reasons').replaceChildren(...last.reasons.map((reason) => make('li', {}, reason.detail)));
  show(find('reasons'), last.reasons.length > 0);
  figures(last, samples.at(-1));
  tables();
  plugins(last.totals.plugins);
  queues(last.totals);
  origins(last.origins ?? []);
  plots();
};

const connection = (words, kind) => {
  say(find('connection'), words);
  find('connection').className = `pill ${kind}`;
};

// Marks the page as stale while nothing arrives.
const stale = (reason) => {
  lostAt ??= Date.now();
  const since = `not live for ${span((Date.now() - lostAt) / 1000)}`;
  say(find('stale'), `${since}: ${reason}; trying again.${last ? ' What is shown is from before.' : ''}`);
  show(find('stale'), true);
  document.body.classList.toggle('old', last !== null);
  connection('not live', 'waiting');
  // The readiness is unknown now.
  find('ready').className = 'pill';
  if (last) say(find('ready'), `was ${last.state}`);
};

const onFeedChange = (news) => {
  show(find('login'), news.state === 'locked');
  if (news.state === 'live') {
    lostAt = null;
    show(find('stale'), false);
    document.body.classList.remove('old');
    show(find('view'), true);
    connection('live', 'good live');
    keep(news.snapshot);
    paint();
  } else if (news.state === 'lost') {
    stale(news.reason);
  } else {
    show(find('stale'), false);
    show(find('view'), false);
    show(find('refused'), sessionStorage.getItem('token') !== null);
    connection('locked', 'waiting');
    find('token').focus();
  }
};

const unlocked = () =>
  new Promise((resolve) => {
    find('login').addEventListener('submit', (event) => {
      event.preventDefault();
      sessionStorage.setItem('token', find('token').value.trim());
      find('token').value = '';
      resolve();
    }, { once: true });
  });

const chip = (place, words, pressed, pressedNow, mark) => {
  const dot = mark ? [make('i')] : [];
  dot.forEach((element) => (element.style.background = mark));
  const button = make('button', { type: 'button', 'aria-pressed': pressed }, ...dot, words);
  button.addEventListener('click', () => pressedNow(button));
  place.append(button);
};

for (const name of OUTCOMES) {
  chip(find('outcomes'), name, false, (button) => {
    if (!outcomes.delete(name)) outcomes.add(name);
    button.setAttribute('aria-pressed', outcomes.has(name));
    tables();
  }, color(name));
}
for (const [words, length] of [['1 min', 60], ['5 min', 300], ['10 min', 600]]) {
  chip(find('range'), words, length === seconds, (button) => {
    seconds = length;
    for (const other of find('range').children) other.setAttribute('aria-pressed', other === button);
    plots();
  });
}
// Rows that the server has not sent may match, too; it is asked when typing pauses.
let typing;
find('filter').addEventListener('input', () => {
  tables();
  clearTimeout(typing);
  typing = setTimeout(again, 400);
});
sortable('active', () => {
  tables();
  again();
});
sortable('finished', tables);
onChange(tables);
follow(onFeedChange, () => sessionStorage.getItem('token'), unlocked, wanted);
