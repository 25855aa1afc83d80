import { expect, it } from 'vitest';
import type { SecurityRule } from '../policies';
import { NO_RESPONSIBILITY } from './responsibility';
import { findPresentRule, unchangedSince } from './rule-history';

const rule = (id: string, position: number, port: string): SecurityRule => ({
  id,
  position,
  action: 'accept',
  protocol: 'tcp',
  destination_ports: [port],
  source_ports: [],
  icmp_type: null,
  log: 'nolog',
  enabled: true,
  comment: '',
  ...NO_RESPONSIBILITY,
});
const WEB = rule('web', 0, '443');
const SSH = rule('ssh', 1, '22');
const VERSIONS = [
  { version: 4, created_at: 'd', rules: [SSH, WEB].map((one, position) => ({ ...one, position })) },
  { version: 3, created_at: 'c', rules: [WEB, SSH] },
  { version: 2, created_at: 'b', rules: [WEB, rule('ssh', 1, '2222')] },
  { version: 1, created_at: 'a', rules: [WEB, SSH] },
];

it('knows since when a rule has been as it is, wherever it stood', () => {
  expect(unchangedSince(WEB, VERSIONS)).toBe('a');
  expect(unchangedSince(SSH, VERSIONS)).toBe('c');
  expect(unchangedSince(rule('ssh', 1, '2222'), VERSIONS)).toBeNull();
  expect(unchangedSince(WEB, [])).toBeNull();
});

it('finds a rule of a version among the present ones only while it says the same', () => {
  const present = VERSIONS[0]?.rules ?? [];
  expect(findPresentRule(present, VERSIONS[1], 1)?.id).toBe('ssh');
  expect(findPresentRule(present, VERSIONS[2], 1)).toBeNull();
  expect(findPresentRule(present, VERSIONS[2], 0)?.id).toBe('web');
  expect(findPresentRule(present, VERSIONS[2], 7)).toBeNull();
  expect(findPresentRule(present, undefined, 0)).toBeNull();
});
