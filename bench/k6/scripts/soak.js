// A steady mix for a long time: whether a server gets slower, or loses transfers, after hours.
//
//   SERVER, MANIFEST, TIMEOUT, RETRIES, LOCAL_ADDRESS   as in all scripts
//   RATE      iterations per second, default 20, each with one to three transfers
//   DURATION  default 10m
//   WRITES=1  uploads too, into FOLDER (default `uploads/`)
//   P95       how long 95 % of the small transfers may take, in milliseconds, default 250; at the end as at the start
//
// The first and the last tenth carry the tag `phase`: `start` and `end`. They stand side by side in the summary.
import tftp from 'k6/x/tftp';
import exec from 'k6/execution';
import { client as behaviour, exact, mac, number, seconds, sized, text } from './lib/settings.js';
import { counted, summary, trendStats } from './lib/report.js';

const total = seconds('DURATION', '10m');
const folder = text('FOLDER', 'uploads/');
const p95 = `p(95)<${number('P95', 250)}`;

export const options = {
  scenarios: {
    soak: {
      executor: 'constant-arrival-rate', rate: number('RATE', 20), timeUnit: '1s', duration: `${total}s`,
      preAllocatedVUs: 20, maxVUs: 200,
    },
  },
  summaryTrendStats: trendStats,
  thresholds: Object.assign(counted(), {
    tftp_transfer_failed: ['rate<0.0001'],
    'tftp_transfer_duration{name:small,phase:start}': [p95],
    'tftp_transfer_duration{name:small,phase:end}': [p95],
    'tftp_transfer_duration{name:large,phase:start}': ['p(95)>=0'],
    'tftp_transfer_duration{name:large,phase:end}': ['p(95)>=0'],
    dropped_iterations: ['count<5'],
  }),
};

const client = new tftp.Client(behaviour);
const windows = { blksize: 1428, windowsize: 16, tsize: true };

export default function () {
  const n = exec.scenario.iterationInTest;
  const phase = exec.scenario.progress < 0.1 ? 'start' : exec.scenario.progress >= 0.9 ? 'end' : 'middle';
  const tagged = (name, options) => Object.assign({ tags: { name, phase } }, options);

  client.get('pxelinux.cfg/default', exact('pxelinux.cfg/default', tagged('small')));
  client.get(`pxelinux.cfg/01-${mac(n, '-')}`, tagged('miss', { expect: 'not-found' }));
  switch (n % 10) {
    case 0:
      client.get('firmware.bin', exact('firmware.bin', tagged('large', windows)));
      break;
    case 1:
      client.get('pxelinux.0', sized('pxelinux.0', tagged('lockstep')));
      break;
    case 2:
      client.probe('bootx64.efi', tagged('probe'));
      break;
    case 3:
      // Goes away without a word: the server must notice by itself, and give back what it held.
      client.get('initrd.img', tagged('gone', Object.assign({ abort: { after: 10, silent: true } }, windows)));
      break;
    case 4:
      if (text('WRITES') === '1') {
        client.put(`${folder}soak-${__VU}`, 65536, tagged('upload', windows));
      }
      break;
    default:
  }
}

export const handleSummary = summary('soak');
