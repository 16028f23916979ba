// One file again and again, by as many clients as there are virtual users, each at once when its last transfer is
// done: what a server, or the generator itself, can do at most.
//
//   SERVER, MANIFEST, TIMEOUT, RETRIES, LOCAL_ADDRESS, GRO   as in all scripts
//   FILE        default firmware.bin
//   VUS         clients at once, default 8
//   DURATION    default 10s
//   BLKSIZE, WINDOWSIZE   not asked for unless given
//   PER_ITERATION         transfers in one iteration of k6, default 1; more of them cost less each
//   REUSE_PORT=1          every client keeps its port
//   WRITE=BYTES           writes so many made-up bytes as `FOLDERk6-N` (FOLDER: default `uploads/`) instead of reading
import tftp from 'k6/x/tftp';
import { client as behaviour, number, sized, text } from './lib/settings.js';
import { counted, summary, trendStats } from './lib/report.js';

const file = text('FILE', 'firmware.bin');
const repeat = number('PER_ITERATION', 1);

export const options = {
  scenarios: {
    throughput: { executor: 'constant-vus', vus: number('VUS', 8), duration: text('DURATION', '10s'), gracefulStop: '30s' },
  },
  summaryTrendStats: trendStats,
  thresholds: Object.assign(counted(), { tftp_transfer_failed: ['rate==0'] }),
};

const client = new tftp.Client(Object.assign({}, behaviour, {
  blksize: number('BLKSIZE', undefined),
  windowsize: number('WINDOWSIZE', undefined),
  reusePort: text('REUSE_PORT') === '1',
}));
const expected = sized(file);
const bytes = number('WRITE', 0);
const folder = text('FOLDER', 'uploads/');

export default function () {
  for (let n = 0; n < repeat; n++) {
    if (bytes > 0) {
      client.put(`${folder}k6-${__VU}`, bytes);
    } else {
      client.get(file, expected);
    }
  }
}

export const handleSummary = summary('throughput');
