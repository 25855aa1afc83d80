import {
  ImportAccepted,
  ImportChangesInput,
  ImportChangesPage,
  ImportInput,
  ImportListInput,
  ImportPage,
  IpamImportDetail,
} from '@/domain/ipam/csv-import';
import { readImport, readImportChanges, requestImport } from '../../addresses/imports/imports';
import { listImports } from '../../addresses/queries/imports';
import { MAX_BODY_BYTES } from '../../rest/define-route';
import { operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Address management');

export const ipamImportsRouter = router({
  create: mutation({
    rest: 'POST /ipam/imports',
    summary:
      'Import prefixes or addresses from a CSV file: all rows, or only the valid ones. The import contains the report.',
    access: { permission: 'ipam:write' },
    input: ImportInput,
    output: ImportAccepted,
    status: 202,
    maxBodyBytes: MAX_BODY_BYTES,
    gzip: true,
    run: ({ scope, input }) => requestImport(scope, input),
  }),
  list: query({
    rest: 'GET /ipam/imports',
    summary: 'List imports, newest first.',
    access: { permission: 'ipam:write' },
    input: ImportListInput,
    output: ImportPage,
    run: ({ input }) => listImports(input),
  }),
  get: query({
    rest: 'GET /ipam/imports/{import_id}',
    summary: 'Get one import with its progress and report: each invalid row by line and field.',
    access: { permission: 'ipam:write' },
    output: IpamImportDetail,
    run: ({ scope, params }) => readImport(scope, params.import_id),
  }),
  changes: query({
    rest: 'GET /ipam/imports/{import_id}/changes',
    summary: 'List changes of an import from an offset: conflicts first, then in the order of what was read.',
    access: { permission: 'ipam:write' },
    input: ImportChangesInput,
    output: ImportChangesPage,
    run: ({ scope, params, input }) => readImportChanges(scope, params.import_id, input),
  }),
});
