import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../http-server';
import { chaos } from '../scenarios/chaos';
import { rawRequest } from '../test-client.fixture';
import { allRoutes } from './all-routes';

let sim: Simulator;
beforeAll(async () => {
  sim = await startSimulator({ scenario: chaos, timeScale: 5000 });
});
afterAll(() => sim.close());

const values = fc.oneof(
  fc.constantFrom('', '0', '1', '-', 'net0', '100', '102', 'x1', 'web', '10.0.0.0/8', '::1', 'a,b', '+set', 'dc/x'),
  fc.constantFrom(
    'virtio=BC:24:11:00:00:01,bridge=vmbr0',
    'name=eth0,bridge=vmbr0',
    'in',
    'group',
    'ACCEPT',
    'SSH',
    'tcp',
  ),
  fc.constantFrom('%00', '../../etc', 'ACCEPT\nIN DROP', '9'.repeat(40), '1e9', 'ünï→😀', '[RULES]', '# x', '\u2028'),
  fc.string(),
);

const request = fc.constantFrom(...allRoutes).chain((route) =>
  fc.record({
    route: fc.constant(route),
    path: fc.dictionary(
      fc.constantFrom('node', 'vmid', 'pos', 'name', 'group', 'cidr', 'vnet', 'upid', 'poolid', 'ipam'),
      values,
    ),
    params: fc.dictionary(fc.constantFrom(...Object.keys(route.params), 'digest', 'nonsense'), values, { maxKeys: 5 }),
  }),
);

const DEFAULTS: Record<string, string> = {
  node: 'x1',
  vmid: '100',
  pos: '0',
  name: 'some',
  group: 'web',
  cidr: '10.0.0.0/8',
};

describe('any call with any parameters', () => {
  it('gets an answer of the product, never a defect of the simulator', async () => {
    await fc.assert(
      fc.asyncProperty(request, async ({ route, path, params }) => {
        const url = route.pattern.replace(/\{([a-z]+)\+?\}/g, (_, name: string) =>
          encodeURIComponent(path[name] || DEFAULTS[name] || 'x'),
        );
        const query = new URLSearchParams(params).toString();
        const bodyless = route.method === 'GET' || route.method === 'DELETE';
        const answer = await rawRequest(sim.cluster().node('x1'), route.method, bodyless ? `${url}?${query}` : url, {
          token: sim.cluster().tokens.root,
          ...(!bodyless && { body: query }),
        });
        expect([200, 400, 403, 500, 501, 595]).toContain(answer.status);
        expect(answer.text).not.toContain('simulator defect');
        expect(answer.json?.data !== undefined || answer.text === '').toBe(true);
      }),
      { numRuns: 250 },
    );
  });
});
