// Thresholds that scripts share, and what they write at their end.
import { server, text } from './settings.js';

const outcomes = [
  'completed', 'probed', 'aborted', 'not-found', 'denied', 'error', 'timed-out', 'wrong-data', 'protocol-error',
  'local-error',
];

// k6 tells sub-metrics apart only where a threshold names them; these always hold.
export function counted() {
  const thresholds = {};
  for (const outcome of outcomes) {
    thresholds[`tftp_transfers{outcome:${outcome}}`] = ['count>=0'];
  }
  return thresholds;
}

export const trendStats = ['avg', 'min', 'med', 'p(95)', 'p(99)', 'max', 'count'];

function value(data, metric, key) {
  const found = data.metrics[metric];
  return found && found.values[key] !== undefined ? found.values[key] : 0;
}

function failures(data) {
  const failed = [];
  for (const [name, metric] of Object.entries(data.metrics)) {
    for (const [source, threshold] of Object.entries(metric.thresholds || {})) {
      if (!threshold.ok) {
        failed.push(`${name}: ${source}`);
      }
    }
  }
  return failed;
}

// summary makes handleSummary: SUMMARY names a JSON file, ROW a file with one line for a table.
export function summary(script) {
  return (data) => {
    const seconds = data.state.testRunDurationMs / 1000;
    const failed = failures(data);
    const result = {
      script,
      server,
      seconds,
      passed: failed.length === 0,
      failed_thresholds: failed,
      transfers: value(data, 'tftp_transfers', 'count'),
      transfers_per_s: value(data, 'tftp_transfers', 'rate'),
      outcomes: {},
      mb_received_per_s: value(data, 'tftp_bytes_received', 'rate') / 1e6,
      mb_sent_per_s: value(data, 'tftp_bytes_sent', 'rate') / 1e6,
      duration_ms: (data.metrics.tftp_transfer_duration || { values: {} }).values,
      time_to_first_block_ms: (data.metrics.tftp_time_to_first_block || { values: {} }).values,
      retransmissions: value(data, 'tftp_retransmissions', 'count'),
      failed_rate: value(data, 'tftp_transfer_failed', 'rate'),
      dropped_iterations: value(data, 'dropped_iterations', 'count'),
      metrics: data.metrics,
    };
    for (const outcome of outcomes) {
      result.outcomes[outcome] = value(data, `tftp_transfers{outcome:${outcome}}`, 'count');
    }
    const written = { stdout: told(result) };
    if (text('SUMMARY')) {
      written[text('SUMMARY')] = JSON.stringify(result, null, 2);
    }
    if (text('ROW')) {
      written[text('ROW')] = row(result);
    }
    return written;
  };
}

function told(result) {
  const ended = Object.entries(result.outcomes).filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcome}`).join(', ') || 'none';
  const first = result.time_to_first_block_ms;
  const lines = [
    '',
    `  ${result.script} against ${result.server}, ${result.seconds.toFixed(1)} s`,
    `  transfers        ${result.transfers} (${result.transfers_per_s.toFixed(1)}/s): ${ended}`,
    `  received, sent   ${result.mb_received_per_s.toFixed(2)} MB/s, ${result.mb_sent_per_s.toFixed(2)} MB/s`,
    `  duration         ${times(result.duration_ms)}`,
    `  first block      ${times(first)}`,
    `  retransmissions  ${result.retransmissions}`,
    `  failed           ${(100 * result.failed_rate).toFixed(2)} %`,
    `  not started      ${result.dropped_iterations} iterations`,
    ...result.failed_thresholds.map((threshold) => `  FAILED           ${threshold}`),
    '',
    '',
  ];
  return lines.join('\n');
}

function times(values) {
  const shown = (key) => (values[key] === undefined ? '-' : values[key].toFixed(2));
  return `median ${shown('med')} ms, p95 ${shown('p(95)')} ms, p99 ${shown('p(99)')} ms, max ${shown('max')} ms`;
}

// 95 % of the small transfers of a soak, in its first and in its last tenth.
function drift(metrics) {
  const p95 = ['start', 'end'].map((phase) => metrics[`tftp_transfer_duration{name:small,phase:${phase}}`]);
  return p95.every((metric) => metric) ? p95.map((metric) => metric.values['p(95)'].toFixed(2)).join(', ') : '-';
}

function row(result) {
  const times = result.duration_ms;
  const columns = [
    result.script, result.seconds.toFixed(0), result.transfers, result.transfers_per_s.toFixed(0),
    result.mb_received_per_s.toFixed(1), result.mb_sent_per_s.toFixed(1), (times.med || 0).toFixed(2),
    (times['p(99)'] || 0).toFixed(2), drift(result.metrics), result.retransmissions, `${(100 * result.failed_rate).toFixed(2)} %`,
    result.dropped_iterations, result.passed ? 'good' : 'FAILED',
  ];
  return columns.join('|') + '\n';
}
