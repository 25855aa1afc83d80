import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TRAFFIC_MODES } from '@/domain/choices';
import { parseFilter } from '@/domain/filter-language/parse';
import { formatTrafficFilter } from './traffic-filter';

const WEB = { vmid: 105, cluster_name: 'lab' };

it('writes a filter that the language accepts, whatever a page narrows down', () => {
  const maybe = <T>(...values: T[]) => fc.option(fc.constantFrom(...values));
  fc.assert(
    fc.property(
      fc.constantFrom('lab', 'Rechenzentrum Süd', 'a "b"'),
      fc.constantFrom(...TRAFFIC_MODES),
      fc.record({
        address: maybe('10.0.0.5', '10.0.0.0/24', 'internal', 'external', '2001:db8::1'),
        port: maybe('443', '80,443', '8000-8010'),
        protocol: maybe('tcp', 'UDP', 'icmp'),
      }),
      (cluster_name, mode, narrowed) => {
        const usual = narrowed.protocol === 'icmp' ? { ...narrowed, port: null } : narrowed;
        expect(parseFilter(formatTrafficFilter({ vmid: 105, cluster_name }, mode, usual))).toHaveProperty('condition');
      },
    ),
  );
});

it('names the side of the workload, and the peer', () => {
  expect(formatTrafficFilter(WEB, 'all', { address: '10.0.0.5', port: '443', protocol: 'tcp' })).toBe(
    'end = vmid:lab/105 and address = 10.0.0.5 and service = tcp/443',
  );
  expect(formatTrafficFilter(WEB, 'external', {})).toBe(
    'client = vmid:lab/105 and server = external or server = vmid:lab/105 and client = external',
  );
  expect(formatTrafficFilter(WEB, 'denied', { port: '80,443' })).toBe(
    'end = vmid:lab/105 and action in (dropped, rejected) and port in (80, 443)',
  );
});
