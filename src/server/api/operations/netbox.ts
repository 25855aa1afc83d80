import { ImportAccepted } from '@/domain/ipam/csv-import';
import {
  NetboxImportInput,
  NetboxSource,
  NetboxSourceInput,
  NetboxSourceListInput,
  NetboxSourcePage,
  NetboxSourceUpdate,
} from '@/domain/netbox/source';
import { authorizeIfGranted } from '../../auth/scope';
import { requestNetboxImport } from '../../sync/netbox/import-netbox';
import {
  createNetboxSource,
  deleteNetboxSource,
  readNetboxSource,
  updateNetboxSource,
} from '../../sync/netbox/sources';
import { listNetboxSources } from '../../sync/queries/netbox-sources';
import { ByVersion, operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Address management');
const access = { permission: 'ipam:write' } as const;

export const netboxRouter = router({
  list: query({
    rest: 'GET /netbox-sources',
    summary: 'List NetBox sources, without their tokens.',
    access,
    input: NetboxSourceListInput,
    output: NetboxSourcePage,
    run: ({ input }) => listNetboxSources(input),
  }),
  create: mutation({
    rest: 'POST /netbox-sources',
    summary: 'Create a NetBox source. Nothing is read before a preview. Groups require group:write.',
    access,
    input: NetboxSourceInput,
    output: NetboxSource,
    status: 201,
    run: ({ scope, session, input }) =>
      createNetboxSource({ scope, groups: authorizeIfGranted(session, 'group:write') }, input),
  }),
  get: query({
    rest: 'GET /netbox-sources/{netbox_source_id}',
    summary: 'Get one NetBox source.',
    access,
    output: NetboxSource,
    run: ({ scope, params }) => readNetboxSource(scope, params.netbox_source_id),
  }),
  update: mutation({
    rest: 'PATCH /netbox-sources/{netbox_source_id}',
    summary: 'Update a NetBox source. If-Match or version prevents lost updates. Groups require group:write.',
    access,
    input: NetboxSourceUpdate,
    output: NetboxSource,
    run: ({ scope, session, params, input }) =>
      updateNetboxSource({ scope, groups: authorizeIfGranted(session, 'group:write') }, params.netbox_source_id, input),
  }),
  delete: mutation({
    rest: 'DELETE /netbox-sources/{netbox_source_id}',
    summary: 'Delete a NetBox source. What was imported stays.',
    access,
    input: ByVersion,
    run: ({ scope, params, input }) => deleteNetboxSource(scope, params.netbox_source_id, input.version),
  }),
  import: mutation({
    rest: 'POST /netbox-sources/{netbox_source_id}/import',
    summary:
      'Preview a NetBox source, or write what a preview listed: with preview_id. Conflicts are written only if they are chosen. The import contains the report.',
    access,
    input: NetboxImportInput,
    output: ImportAccepted,
    status: 202,
    bodyOptional: true,
    run: ({ scope, session, params, input }) =>
      requestNetboxImport(
        { scope, groups: authorizeIfGranted(session, 'group:write') },
        params.netbox_source_id,
        input,
      ),
  }),
});
