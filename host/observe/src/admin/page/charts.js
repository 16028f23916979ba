// Plots of the last minutes: stacked bars and lines, as SVG.

import { clock } from './format.js';
import { draw, make, say } from './dom.js';

const HEIGHT = 150;
const [LEFT, RIGHT, TOP, BOTTOM] = [66, 4, 8, 18];

// A plot in the element `place`. `series` are `{ name, color, of: (sample) => number or null }`. `stacked` draws stacked
// bars, otherwise lines. `log` makes the scale logarithmic. `format` formats values, `mark` those of the scale.
export class Chart {
  constructor(place, series, { stacked = false, log = false, format, mark = format }) {
    Object.assign(this, { series, stacked, log, format, mark, samples: [], seconds: 600, at: null });
    this.svg = draw('svg', { role: 'img', height: HEIGHT });
    this.values = series.map(() => make('b'));
    const keys = series.map((one, index) => {
      const dot = make('i');
      dot.style.background = one.color;
      return make('span', {}, dot, `${one.name} `, this.values[index]);
    });
    this.time = make('span');
    place.append(this.svg, make('div', { class: 'legend' }, ...keys, this.time));
    this.svg.addEventListener('pointermove', (event) => this.point(event));
    this.svg.addEventListener('pointerleave', () => this.point(null));
    new ResizeObserver(() => this.paint()).observe(this.svg);
  }

  set(samples, seconds) {
    Object.assign(this, { samples, seconds });
    this.paint();
  }

  point(event) {
    this.at = event ? (event.clientX - this.svg.getBoundingClientRect().left) : null;
    this.paint();
  }

  // Merges samples so that each bar has some width; `null` where there is none.
  bins(width) {
    const end = this.samples.at(-1)?.unix_ms ?? 0;
    const count = Math.max(1, Math.min(this.seconds, Math.floor(width / (this.log ? 9 : this.stacked ? 4 : 2))));
    const span = (this.seconds * 1000) / count;
    const bins = Array.from({ length: count }, () => []);
    for (const sample of this.samples) {
      const index = count - 1 - Math.floor((end - sample.unix_ms) / span);
      if (index >= 0) bins[index].push(sample);
    }
    // The mean of the known values; of a quantile the worst.
    const join = (values) => {
      const known = values.filter((value) => value !== null && value !== undefined);
      if (known.length === 0) return null;
      return this.log ? Math.max(...known) : known.reduce((sum, value) => sum + value, 0) / known.length;
    };
    return bins.map((samples, index) => ({
      values: this.series.map((one) => join(samples.map(one.of))),
      unixMs: end - (count - 1 - index) * span,
      some: samples.length > 0,
    }));
  }

  paint() {
    const width = this.svg.clientWidth - LEFT - RIGHT;
    if (width <= 0) return;
    const bins = this.bins(width);
    const total = (bin) => bin.values.reduce((sum, value) => sum + (value ?? 0), 0);
    const peak = Math.max(...bins.map((bin) => (this.stacked ? total(bin) : Math.max(...bin.values.map((v) => v ?? 0)))));
    const scale = this.log ? logarithmic(bins) : linear(peak);
    const x = (index) => LEFT + (width * index) / bins.length;
    const y = (value) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - Math.min(1, Math.max(0, scale.part(value))));
    const parts = scale.ticks.flatMap((tick) => this.tick(y(tick), tick, width));
    parts.push(...this.dates(width));
    parts.push(...(this.stacked ? this.bars(bins, x, y, width) : this.lines(bins, x, y, width)));
    const chosen = this.at === null ? bins.length - 1 : Math.floor(((this.at - LEFT) / width) * bins.length);
    const bin = bins[Math.min(bins.length - 1, Math.max(0, chosen))];
    if (this.at !== null) {
      const middle = x(bins.indexOf(bin) + 0.5);
      parts.push(draw('line', { class: 'cross', x1: middle, x2: middle, y1: TOP, y2: HEIGHT - BOTTOM }));
    }
    this.series.forEach((_, index) => {
      const value = bin.values[index];
      say(this.values[index], value === null ? '–' : this.format(value));
    });
    say(this.time, this.at === null ? '' : clock(bin.unixMs));
    this.svg.setAttribute('viewBox', `0 0 ${this.svg.clientWidth} ${HEIGHT}`);
    this.svg.replaceChildren(...parts);
  }

  tick(y, value, width) {
    const label = draw('text', { x: LEFT - 8, y: y + 3.5, 'text-anchor': 'end' });
    label.textContent = this.mark(value);
    return [draw('line', { class: 'grid', x1: LEFT, x2: LEFT + width, y1: y, y2: y }), label];
  }

  dates(width) {
    return [[0, `−${this.seconds / 60} min`, 'start'], [0.5, `−${this.seconds / 120} min`, 'middle'], [1, 'now', 'end']].map(
      ([part, words, anchor]) => {
        const label = draw('text', { x: LEFT + width * part, y: HEIGHT - 4, 'text-anchor': anchor });
        label.textContent = words;
        return label;
      },
    );
  }

  bars(bins, x, y, width) {
    const paths = this.series.map(() => '');
    bins.forEach((bin, index) => {
      let below = 0;
      const gap = width / bins.length > 3 ? 1 : 0;
      bin.values.forEach((value, which) => {
        if (!value) return;
        const [low, high] = [y(below), y(below + value)];
        paths[which] += `M${x(index).toFixed(1)} ${low.toFixed(1)}V${high.toFixed(1)}H${(x(index + 1) - gap).toFixed(1)}V${low.toFixed(1)}Z`;
        below += value;
      });
    });
    return paths.map((path, which) => {
      const element = draw('path', { d: path });
      element.style.fill = this.series[which].color;
      return element;
    });
  }

  lines(bins, x, y, width) {
    return this.series.map((one, which) => {
      let path = '';
      let joined = false;
      bins.forEach((bin, index) => {
        const value = bin.values[which];
        if (value === null) {
          // The line continues across a bin that a late sample left empty.
          if (bin.some) joined = false;
          return;
        }
        const [at, height] = [x(index + 0.5).toFixed(1), y(value).toFixed(1)];
        // A single value becomes a short line, to be visible.
        path += joined ? `L${at} ${height}` : `M${(x(index + 0.5) - Math.min(2, width / bins.length / 2)).toFixed(1)} ${height}L${at} ${height}`;
        joined = true;
      });
      const element = draw('path', { d: path, fill: 'none', 'stroke-width': 1.6, 'stroke-linejoin': 'round', 'stroke-linecap': 'round' });
      element.style.stroke = one.color;
      return element;
    });
  }
}

const linear = (peak) => {
  const rough = Math.max(peak, 1) / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough);
  const top = Math.max(step, Math.ceil(peak / step) * step);
  const ticks = [];
  for (let tick = 0; tick <= top + step / 2; tick += step) ticks.push(tick);
  return { part: (value) => value / top, ticks };
};

const logarithmic = (bins) => {
  const known = bins.flatMap((bin) => bin.values.filter((value) => value > 0));
  const low = Math.floor(Math.log10(Math.min(100, ...known)));
  const high = Math.max(low + 2, Math.ceil(Math.log10(Math.max(1000, ...known))));
  const step = Math.ceil((high - low) / 4);
  const ticks = [];
  for (let tick = low; tick <= high; tick += step) ticks.push(10 ** tick);
  return { part: (value) => (Math.log10(Math.max(value, 1)) - low) / (high - low), ticks };
};
