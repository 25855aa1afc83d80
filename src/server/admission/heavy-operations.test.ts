import { describe, expect, it } from 'vitest';
import { getLane, HEAVY_OPERATIONS, isHeavyCall, isHeavyRequest } from '@/domain/heavy-operations';
import { listOperations } from '../api/list-routes';
import { parseRestAddress as restAddressOf } from '../api/operation';
import { appRouter } from '../api/root';
import { routes } from '../rest/routes';

const procedures = Object.keys(appRouter._def.procedures);
const toRequestPath = (path: string) => `/api/v1${path.replaceAll(/\{\w+\}/g, '01980000-0000-7000-8000-000000000002')}`;

describe('heavy operations', () => {
  it('exist as operations', () => {
    const known = new Set(routes.map(({ method, path }) => `${method} ${path}`));
    expect(HEAVY_OPERATIONS.flatMap(({ rest }) => rest ?? []).filter((rest) => !known.has(rest))).toEqual([]);
    expect(HEAVY_OPERATIONS.flatMap(({ trpc }) => trpc).filter((call) => !procedures.includes(call))).toEqual([]);
  });

  it('count as heavy on both surfaces', () => {
    for (const [call, operation] of listOperations(appRouter)) {
      if (operation.rest === undefined) continue;
      const { method, path } = restAddressOf(operation);
      expect(isHeavyCall(call), call).toBe(getLane({ method, path }, undefined) !== null);
    }
  });

  it('match by address exactly as by route', () => {
    for (const route of routes) {
      const heavy = getLane(route, undefined) !== null;
      expect(isHeavyRequest(route.method, toRequestPath(route.path)), `${route.method} ${route.path}`).toBe(heavy);
      expect(isHeavyRequest(route.method, `${toRequestPath(route.path)}?limit=1`)).toBe(heavy);
      if (route.method === 'GET') {
        expect(isHeavyRequest('HEAD', toRequestPath(route.path))).toBe(heavy);
        expect(isHeavyRequest('GET', `${toRequestPath(route.path)}?q=a&format=csv`)).toBe(true);
      }
    }
    for (const call of procedures) expect(isHeavyRequest('GET', `/api/trpc/${call}?input={}`)).toBe(isHeavyCall(call));
    expect(isHeavyRequest('GET', '/api/trpc/settings.get,topology.read?batch=1')).toBe(true);
    expect(isHeavyRequest('GET', '/api/trpc/settings.get%2Ctopology.read?batch=1')).toBe(true);
    expect(isHeavyRequest('GET', '/topology?format=csv')).toBe(false);
  });

  it('include whatever is asked about the past', () => {
    const as_of = '2026-01-01T00:00:00Z';
    const input = encodeURIComponent(JSON.stringify({ 0: { id: 'a', as_of } }));
    expect(isHeavyRequest('GET', `/api/v1/policies?as_of=${as_of}`)).toBe(true);
    expect(isHeavyRequest('GET', `/api/trpc/policies.get?batch=1&input=${input}`)).toBe(true);
    expect(isHeavyCall('policies.get', { id: 'a', as_of })).toBe(true);
    expect(isHeavyCall('policies.get', { id: 'a', as_of: undefined })).toBe(false);
    expect(getLane({ method: 'GET', path: '/policies' }, { as_of })).toBe('compute');
    expect(getLane({ method: 'GET', path: '/policies' }, {})).toBeNull();
  });

  it('match however the address is encoded', () => {
    for (const address of [
      '/api/trpc/topology%2Eread?input={}',
      '/api/trpc/settings.get%2ctopology.rea%64?batch=1',
      '/api/v1/topolog%79',
      '/api/v1/%74opology?since=x',
      '/api/v1/workloads?%66ormat=csv',
      '/api/v1/workloads?format=%63sv',
      '/api/v1/workloads?format=json&form%61t=ndjson',
    ]) {
      expect(isHeavyRequest('GET', address), address).toBe(true);
    }
    expect(isHeavyRequest('GET', '/api/v1/%E0%A4%A?format=json')).toBe(false);
  });

  it('exclude what sign-in, sessions, probes and agents depend on', () => {
    const light = routes.filter(({ path }) => /^\/(auth|health|agents|account|setup|events|metrics)/.test(path));
    expect(light.length).toBeGreaterThan(20);
    expect(light.filter((route) => getLane(route, undefined) !== null)).toEqual([]);
  });
});
