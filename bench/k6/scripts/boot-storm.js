// Machines that boot over the network, more and more of them at once: each a chain of transfers as firmware and boot
// loaders make them, UEFI with GRUB or BIOS with PXELINUX.
//
//   SERVER, MANIFEST, TIMEOUT, RETRIES, LOCAL_ADDRESS   as in all scripts
//   RATE      machines that start per second at the peak, default 5
//   DURATION  default 30s: a third up, a third at the peak, a third down
//   UEFI      the part of the machines that boot by UEFI, default 0.5
//   MAX_VUS   machines at once at most, default 200
//   BOOT_P95  how long 95 % of the boots may take, in milliseconds, default 5000
import tftp from 'k6/x/tftp';
import exec from 'k6/execution';
import { Rate, Trend } from 'k6/metrics';
import { client as behaviour, mac, number, seconds, sized } from './lib/settings.js';
import { counted, summary, trendStats } from './lib/report.js';

const rate = number('RATE', 5);
const third = seconds('DURATION', '30s') / 3;
const uefi = number('UEFI', 0.5);

const bootDuration = new Trend('boot_duration', true);
const bootFailed = new Rate('boot_failed');

export const options = {
  scenarios: {
    storm: {
      executor: 'ramping-arrival-rate',
      startRate: 0,
      timeUnit: '1s',
      preAllocatedVUs: Math.min(50, number('MAX_VUS', 200)),
      maxVUs: number('MAX_VUS', 200),
      stages: [
        { target: rate, duration: `${third}s` },
        { target: rate, duration: `${third}s` },
        { target: 0, duration: `${third}s` },
      ],
    },
  },
  summaryTrendStats: trendStats,
  thresholds: Object.assign(counted(), {
    tftp_transfer_failed: ['rate<0.001'],
    boot_failed: ['rate<0.01'],
    boot_duration: [`p(95)<${number('BOOT_P95', 5000)}`],
    // Machines that could not start because too many had not ended: the server falls behind.
    dropped_iterations: [`count<${Math.max(1, 0.02 * 2 * rate * third)}`],
    // These two always hold: they make the names show in the summary.
    'tftp_transfer_duration{name:kernel}': ['p(95)>=0'],
    'tftp_transfer_duration{name:miss}': ['p(95)>=0'],
  }),
};

const client = new tftp.Client(behaviour);
// What clients are known to ask for.
const edk2 = { blksize: 1468, windowsize: 4 };
const grub = { blksize: 1024, tsize: true };
const pxelinux = { blksize: 1408, tsize: true };

const named = (name, options) => Object.assign({ tags: { name } }, options);
const get = (file, name, options) => client.get(file, sized(file, named(name, options))).outcome === 'completed';
const miss = (file, options) => client.get(file, named('miss', Object.assign({ expect: 'not-found' }, options)));

// The firmware asks for the size, ends that with ERROR 8, asks again; GRUB looks for a configuration of its own
// machine, and closes a file of which it only wants the head with ERROR 0.
function bootUefi(machine) {
  if (client.probe('bootx64.efi', named('probe', edk2)).outcome !== 'probed' || !get('bootx64.efi', 'loader', edk2)) {
    return false;
  }
  miss(`grub/grub.cfg-01-${mac(machine, '-')}`, grub);
  for (let digits = 8; digits > 4; digits--) {
    miss(`grub/grub.cfg-${address(machine).slice(0, digits)}`, grub);
  }
  const closed = named('closed', { abort: { after: 8, code: 0, message: 'closed' } });
  client.get('grub/fonts.pf2', Object.assign(closed, grub));
  return get('grub/grub.cfg', 'configuration', grub) && get('vmlinuz', 'kernel', grub) && get('initrd.img', 'initrd', grub);
}

// The ROM aborts its first request and asks again; PXELINUX looks for its configuration under eleven names.
function bootBios(machine) {
  if (client.probe('pxelinux.0', named('probe', { blksize: 1456 })).outcome !== 'probed'
    || !get('pxelinux.0', 'loader', { blksize: 1456 }) || !get('ldlinux.c32', 'loader', pxelinux)) {
    return false;
  }
  miss(`pxelinux.cfg/4c4c4544-0000-1000-8000-${mac(machine)}`, pxelinux);
  miss(`pxelinux.cfg/01-${mac(machine, '-')}`, pxelinux);
  for (let digits = 8; digits > 0; digits--) {
    miss(`pxelinux.cfg/${address(machine).slice(0, digits)}`, pxelinux);
  }
  return get('pxelinux.cfg/default', 'configuration', pxelinux) && get('vmlinuz', 'kernel', pxelinux)
    && get('initrd.img', 'initrd', pxelinux);
}

// The machine's address in hexadecimal digits, as PXELINUX and GRUB write it: C0A8 is 192.168.
function address(machine) {
  return 'C0A8' + (machine & 0xffff).toString(16).toUpperCase().padStart(4, '0');
}

export default function () {
  const machine = exec.scenario.iterationInTest;
  const start = Date.now();
  // Spread evenly, and the same in each run.
  const booted = (machine * 0.618033988) % 1 < uefi ? bootUefi(machine) : bootBios(machine);
  bootFailed.add(!booted);
  if (booted) {
    bootDuration.add(Date.now() - start);
  }
}

export const handleSummary = summary('boot-storm');
