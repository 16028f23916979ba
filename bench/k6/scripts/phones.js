// Telephones that start after a power cut: each asks for some files that are not there and for a small one of its
// own. What counts is requests, not bytes: with policy plugins on, each is a decision.
//
//   SERVER, MANIFEST, TIMEOUT, RETRIES, LOCAL_ADDRESS   as in all scripts
//   RATE      phones per second, default 100, each with four or five requests
//   DURATION  default 30s
//   PHONES    how many there are, default what MANIFEST says, else 500
//   UNKNOWN   the part of the phones that the server has no file for, default 0.05
//   P95       how long 95 % of the transfers may take, in milliseconds, default 100
import tftp from 'k6/x/tftp';
import exec from 'k6/execution';
import { client as behaviour, mac, number, phones, sized, text } from './lib/settings.js';
import { counted, summary, trendStats } from './lib/report.js';

const rate = number('RATE', 100);
const duration = text('DURATION', '30s');
const unknown = number('UNKNOWN', 0.05);

export const options = {
  scenarios: {
    phones: { executor: 'constant-arrival-rate', rate, timeUnit: '1s', duration, preAllocatedVUs: 50, maxVUs: 500 },
  },
  summaryTrendStats: trendStats,
  thresholds: Object.assign(counted(), {
    tftp_transfer_failed: ['rate<0.001'],
    tftp_transfer_duration: [`p(95)<${number('P95', 100)}`],
    'tftp_transfer_duration{name:own}': [`p(95)<${number('P95', 100)}`],
    'tftp_transfer_duration{name:miss}': ['p(95)>=0'],
    dropped_iterations: ['count<10'],
  }),
};

const client = new tftp.Client(behaviour);
// A phone that the server does not know gets a default from some, ERROR 1 from others.
const either = ['completed', 'not-found'];

const get = (file, name, options) => client.get(file, Object.assign({ tags: { name } }, options));

// Trust lists, the phone's own configuration, and where that is missing one for all.
function cisco(address, known) {
  get(`CTLSEP${address}.tlv`, 'miss', { expect: either });
  get(`ITLSEP${address}.tlv`, 'miss', { expect: either });
  const own = get(`SEP${address}.cnf.xml`, known ? 'own' : 'unknown', known ? { size: 2048 } : { expect: either });
  if (own.outcome === 'not-found') {
    get('XMLDefault.cnf.xml', 'common', sized('XMLDefault.cnf.xml'));
  }
  get(`SEP${address}.sha`, 'miss', { expect: either });
}

// One for the model, then the phone's own.
function yealink(address, known) {
  get('y000000000028.cfg', 'common', sized('y000000000028.cfg'));
  get(`${address}.cfg`, known ? 'own' : 'unknown', known ? { size: 2048 } : { expect: either });
  get(`${address}.boot`, 'miss', { expect: either });
}

export default function () {
  const n = exec.scenario.iterationInTest;
  const known = (n * 0.618033988) % 1 >= unknown;
  const address = mac(known ? n % phones : 0x80000000 + n);
  if (n % 2 === 0) {
    cisco(address.toUpperCase(), known);
  } else {
    yealink(address, known);
  }
}

export const handleSummary = summary('phones');
