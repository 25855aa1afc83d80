import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatCondition } from '@/domain/filter-language/format';
import { parseFilter } from '@/domain/filter-language/parse';
import { formatConversationFilter } from './conversations-path';

const ends = fc.uniqueArray(
  fc.constantFrom(
    'outside',
    'sg:web servers',
    'sg:and',
    'vmid:lab/105',
    'network:a"b',
    'tag:prod',
    '10.0.0.0/24',
    'db 01',
    'or',
  ),
  { maxLength: 3 },
);

it('writes the canonical text of the filter language, whatever the endpoints', () => {
  fc.assert(
    fc.property(
      ends,
      ends,
      fc.constantFrom(null, 'any', 'tcp', 'tcp/udp', 'icmp'),
      fc.uniqueArray(fc.constantFrom('443', '8000-8010'), { maxLength: 2 }),
      (client, server, protocol, ports) => {
        const some = { client, server, protocol, ports: protocol === 'icmp' ? [] : ports };
        const text = formatConversationFilter({ ...some, actions: ports.length > 0 ? ['dropped', 'rejected'] : [] });
        if (text === '') return;
        const parsed = parseFilter(text);
        expect('condition' in parsed ? formatCondition(parsed.condition) : parsed.problem).toBe(text);
      },
    ),
  );
  expect(formatConversationFilter({ client: ['outside'], server: ['sg:web'], protocol: 'tcp', ports: ['443'] })).toBe(
    'client = external and server = group:web and service = tcp/443',
  );
});
