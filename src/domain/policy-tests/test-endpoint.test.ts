import { expect, it } from 'vitest';
import { canonicalTestEndpoint, isExcepted, parseTestEndpoint } from './test-endpoint';

it.each([
  ['node:pve1/web-node', { kind: 'node', cluster: 'pve1', name: 'web-node' }],
  ['node:a%2Fb/n%251', { kind: 'node', cluster: 'a/b', name: 'n%1' }],
  ['!node:pve1/n', { kind: 'node', cluster: 'pve1', name: 'n' }],
  ['any', { kind: 'any' }],
  ['! 10.0.0.1/24', { kind: 'address', cidr: '10.0.0.0/24' }],
])('reads %s', (text, endpoint) => {
  expect(parseTestEndpoint(text)).toEqual(endpoint);
  const canonical = canonicalTestEndpoint(text);
  expect(canonicalTestEndpoint(canonical ?? '')).toBe(canonical);
  expect(isExcepted(canonical ?? '')).toBe(text.startsWith('!'));
});

it.each(['node:', 'node:pve1', 'node:/n', 'node:a/b/c', '!', '10.0.0'])('refuses %s', (text) => {
  expect(parseTestEndpoint(text)).toHaveProperty('error');
  expect(canonicalTestEndpoint(text)).toBeNull();
});
