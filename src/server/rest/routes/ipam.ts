import { z } from 'zod';
import { ConflictListInput, ConflictPage, ConflictResolveInput, IpamConflict } from '@/domain/ipam/conflict';
import { ImportAccepted, ImportInput, ImportListInput, ImportPage, IpamImportDetail } from '@/domain/ipam/csv-import';
import { DiscoverAccepted, DiscoverInput } from '@/domain/ipam/discovery';
import { IpamSearchInput, IpamSearchResult } from '@/domain/ipam/search';
import { awaitDiscovery } from '../../services/ipam/discovery/await-discovery';
import { requestDiscovery } from '../../services/ipam/discovery/request-discovery';
import { listImports, readImport } from '../../services/ipam/imports/read-imports';
import { requestImport } from '../../services/ipam/imports/request-import';
import { listConflicts } from '../../services/ipam/list-conflicts';
import { readConflict } from '../../services/ipam/read-conflict';
import { resolveConflict } from '../../services/ipam/resolve-conflict';
import { searchIpam } from '../../services/ipam/search-ipam';
import { defineRoute, MAX_BODY_BYTES } from '../define-route';
import { ifMatchVersion } from '../if-match';

const tag = 'Address management';
const conflictParams = z.object({ conflict_id: z.uuid() });

export const ipamRoutes = [
  defineRoute({
    method: 'POST',
    path: '/ipam/discover',
    summary:
      'Import the addresses of guests, of all clusters or those named. With wait=true the result per cluster is the answer, or 202 after two minutes.',
    tag,
    access: { permission: 'ipam:discover' },
    query: z.strictObject({ wait: z.enum(['true', 'false'], { error: 'true or false' }).default('false') }),
    body: DiscoverInput,
    bodyOptional: true,
    response: { status: 202, schema: DiscoverAccepted },
    handler: async ({ scope, query, body, request }) => {
      const accepted = await requestDiscovery(scope, body);
      const result = query.wait === 'true' ? await awaitDiscovery(scope, accepted, { signal: request.signal }) : null;
      return result === null
        ? accepted
        : Response.json(result, { status: 200, headers: { 'cache-control': 'no-store' } });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/ipam/search',
    summary: 'What is known of an address, a MAC address, a network, or the beginning of one.',
    tag,
    access: { permission: 'ipam:read' },
    query: IpamSearchInput,
    response: { status: 200, schema: IpamSearchResult },
    handler: ({ scope, query }) => searchIpam(scope, query),
  }),
  defineRoute({
    method: 'GET',
    path: '/ipam/conflicts',
    summary: 'Facts about addresses that cannot both be right, newest first.',
    tag,
    access: { permission: 'ipam:read' },
    query: ConflictListInput,
    response: { status: 200, schema: ConflictPage },
    handler: ({ scope, query }) => listConflicts(scope, query),
  }),
  defineRoute({
    method: 'GET',
    path: '/ipam/conflicts/{conflict_id}',
    summary: 'One conflict.',
    tag,
    access: { permission: 'ipam:read' },
    params: conflictParams,
    response: { status: 200, schema: IpamConflict },
    handler: ({ scope, params }) => readConflict(scope, params.conflict_id),
  }),
  defineRoute({
    method: 'POST',
    path: '/ipam/conflicts/{conflict_id}/resolve',
    summary: 'Decide a conflict: keep what is stored, assign to the other workload, or dismiss.',
    tag,
    access: { permission: 'ipam:write' },
    params: conflictParams,
    body: ConflictResolveInput,
    response: { status: 200, schema: IpamConflict },
    handler: ({ scope, params, body, request }) =>
      resolveConflict(scope, params.conflict_id, { ...body, version: body.version ?? ifMatchVersion(request) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/ipam/imports',
    summary:
      'Take a CSV file of subnets or addresses over: all of it or only its good rows. Look at the import for the report.',
    tag,
    access: { permission: 'ipam:write' },
    body: ImportInput,
    maxBodyBytes: MAX_BODY_BYTES,
    gzip: true,
    response: { status: 202, schema: ImportAccepted },
    handler: ({ scope, body }) => requestImport(scope, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/ipam/imports',
    summary: 'Imports, newest first.',
    tag,
    access: { permission: 'ipam:write' },
    query: ImportListInput,
    response: { status: 200, schema: ImportPage },
    handler: ({ scope, query }) => listImports(scope, query),
  }),
  defineRoute({
    method: 'GET',
    path: '/ipam/imports/{import_id}',
    summary: 'One import with its progress and its report: each bad row by line and field.',
    tag,
    access: { permission: 'ipam:write' },
    params: z.object({ import_id: z.uuid() }),
    response: { status: 200, schema: IpamImportDetail },
    handler: ({ scope, params }) => readImport(scope, params.import_id),
  }),
];
