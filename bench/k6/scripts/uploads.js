// Network gear that stores its configuration, and machines that leave a dump: small and larger files written at once,
// some given up half-way, some read back.
//
//   SERVER, TIMEOUT, RETRIES, LOCAL_ADDRESS   as in all scripts
//   RATE      uploads per second, default 20
//   DURATION  default 30s
//   FOLDER    where to, default `uploads/`; the server must let it be written and overwritten
//   SMALL     bytes of a configuration, default 32768; 80 % of the uploads
//   LARGE     bytes of a dump, default 1048576; 20 %
//   P95       how long 95 % of the small ones may take, in milliseconds, default 1000
//
// Each client writes under eight names of its own and overwrites them: the disk does not fill up.
import tftp from 'k6/x/tftp';
import exec from 'k6/execution';
import { client as behaviour, number, text } from './lib/settings.js';
import { counted, summary, trendStats } from './lib/report.js';

const duration = text('DURATION', '30s');
const folder = text('FOLDER', 'uploads/');
const small = number('SMALL', 32 << 10);
const large = number('LARGE', 1 << 20);

export const options = {
  scenarios: {
    uploads: {
      executor: 'constant-arrival-rate', rate: number('RATE', 20), timeUnit: '1s', duration, preAllocatedVUs: 20, maxVUs: 200,
    },
  },
  summaryTrendStats: trendStats,
  thresholds: Object.assign(counted(), {
    tftp_transfer_failed: ['rate<0.001'],
    'tftp_transfer_duration{name:small}': [`p(95)<${number('P95', 1000)}`],
    'tftp_transfer_duration{name:large}': ['p(95)>=0'],
    dropped_iterations: ['count<5'],
  }),
};

const client = new tftp.Client(behaviour);
const fast = { blksize: 1428, windowsize: 8, tsize: true };

export default function () {
  const n = exec.scenario.iterationInTest;
  const name = `${folder}k6-${__VU}-${__ITER % 8}`;
  if (n % 5 !== 4) {
    // In blocks of 512 bytes, one at a time: most gear knows no options.
    const sent = client.put(`${name}.cfg`, small, { tags: { name: 'small' } });
    if (n % 10 === 0 && sent.outcome === 'completed') {
      client.get(`${name}.cfg`, { size: small, tags: { name: 'read back' } });
    }
  } else if (n % 20 === 19) {
    // The machine went away: nothing of it may become visible, which only the server's own folder tells.
    client.put(`${name}.cut`, large, Object.assign({ abort: { after: 100 }, tags: { name: 'cut' } }, fast));
  } else {
    client.put(`${name}.core`, large, Object.assign({ tags: { name: 'large' } }, fast));
  }
}

export const handleSummary = summary('uploads');
