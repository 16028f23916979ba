// Every kind of transfer, a few times, compared byte by byte: whether server and generator work, not how fast.
//
//   SERVER, MANIFEST, TIMEOUT, RETRIES   as in all scripts
//   ITERATIONS                           default 20, by two clients
//   DURATION                             so long instead, such as 10s: the HTML report needs some seconds of data
//   WRITES=1                             uploads too; the server must let `uploads/` be written and overwritten
import { check } from 'k6';
import tftp from 'k6/x/tftp';
import { client as behaviour, exact, mac, number, text } from './lib/settings.js';
import { counted, summary, trendStats } from './lib/report.js';

const scenario = text('DURATION')
  ? { executor: 'constant-arrival-rate', rate: 10, duration: text('DURATION'), preAllocatedVUs: 4, maxVUs: 20 }
  : { executor: 'shared-iterations', vus: 2, iterations: number('ITERATIONS', 20), maxDuration: '5m' };

export const options = {
  scenarios: { smoke: scenario },
  summaryTrendStats: trendStats,
  thresholds: Object.assign(counted(), {
    checks: ['rate==1'],
    tftp_transfer_failed: ['rate==0'],
    'tftp_transfers{outcome:completed}': ['count>0'],
    'tftp_transfers{outcome:probed}': ['count>0'],
    'tftp_transfers{outcome:not-found}': ['count>0'],
  }),
};

const plain = new tftp.Client(behaviour);
const windows = new tftp.Client(Object.assign({}, behaviour, { blksize: 1428, windowsize: 16, tsize: true }));

export default function () {
  const loader = plain.get('pxelinux.0', exact('pxelinux.0'));
  check(loader, { 'blocks of 512 bytes, one at a time': (r) => r.outcome === 'completed' });

  const kernel = windows.get('vmlinuz', exact('vmlinuz'));
  check(kernel, {
    'windows': (r) => r.outcome === 'completed',
    // A server may grant less, or know no options at all.
    'no more than was asked for': (r) => r.options.blksize <= 1428 && r.options.windowsize <= 16,
  });

  const probe = plain.probe('bootx64.efi');
  check(probe, {
    'a size probe': (r) => r.outcome === 'probed',
    'the size, if it was told, is right': (r) => r.size === null || r.size === (exact('bootx64.efi').size || r.size),
  });

  const missing = plain.get(`pxelinux.cfg/01-${mac(__ITER, '-')}`, { expect: 'not-found' });
  check(missing, {
    'a file that is not there': (r) => r.outcome === 'not-found',
    'ERROR 1': (r) => r.error !== null && r.error.code === 1,
  });

  const closed = windows.get('initrd.img', { abort: { after: 20, code: 0, message: 'closed' } });
  check(closed, { 'an early end': (r) => r.outcome === 'aborted' });

  if (text('WRITES') === '1') {
    const sent = windows.put(`uploads/smoke-${__VU}`, 100000);
    check(sent, { 'an upload': (r) => r.outcome === 'completed' && r.bytes === 100000 });
    const back = windows.get(`uploads/smoke-${__VU}`, { size: 100000 });
    check(back, { 'read back': (r) => r.outcome === 'completed' });
  }
}

export const handleSummary = summary('smoke');
