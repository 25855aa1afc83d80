import { expect, test } from 'vitest';
import { english } from '@/lib/i18n/translator';
import { countsText } from './cluster-labels';

const none = { nodes: 0, workloads: 0, networks: 0, subnets: 0, ip_addresses: 0 };

test.each([
  [none, null],
  [{ ...none, workloads: 1 }, '1 workload'],
  [{ ...none, nodes: 3, subnets: 2 }, '3 nodes and 2 prefixes'],
  [
    { nodes: 3, workloads: 4312, networks: 5, subnets: 1, ip_addresses: 12 },
    '3 nodes, 4,312 workloads, 5 networks, 1 prefix and 12 IP addresses',
  ],
])('%o reads %s', (counts, text) => expect(countsText(english, counts)).toBe(text));
