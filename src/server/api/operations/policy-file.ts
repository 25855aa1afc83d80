import { Change } from '@/domain/change/change';
import {
  PolicyFileChangeInput,
  PolicyFileExport,
  PolicyFileExportInput,
  PolicyFilePlan,
  PolicyFilePlanInput,
} from '@/domain/policy-file/plan';
import { authorize, type Scope, type Session } from '../../auth/scope';
import {
  draftPolicyFileChange,
  exportPolicyFile,
  type FileScopes,
  planPolicyFile,
} from '../../enforcement/policy-file/plan-file';
import { operations } from '../operation';
import { router } from '../trpc';
import { impactReader } from './impacts';

const { query, mutation } = operations('Policy file');
/** Thousands of policies with their rules. */
const FILE_BYTES = 8 * 1024 * 1024;

const toReach = (session: Session) => ({
  policies: authorize(session, 'policy:read').reach,
  groups: authorize(session, 'group:read').reach,
  tests: authorize(session, 'policy_test:read').reach,
});

const toScopes = (write: Scope<'policy:write'>, session: Session): FileScopes => ({
  ...{ write, session },
  reach: toReach(session),
  impact: impactReader(session),
});

export const policyFileRouter = router({
  export: query({
    rest: 'GET /policy-file',
    summary:
      'Get policies, groups and policy tests as a document that names everything by its name, in a stable order.',
    access: { permission: 'policy:read' },
    input: PolicyFileExportInput,
    output: PolicyFileExport,
    problems: ['conflict', 'not_found'],
    run: ({ session, input }) => exportPolicyFile(toReach(session), input),
  }),
  plan: mutation({
    rest: 'POST /policy-file/plan',
    summary:
      'Compute what applying a document would do to objects, rules, connections and policy tests. Nothing is stored. Requires the permissions for everything that it would edit.',
    access: { permission: 'policy:write' },
    input: PolicyFilePlanInput,
    output: PolicyFilePlan,
    maxBodyBytes: FILE_BYTES,
    problems: ['conflict', 'version_conflict', 'not_found', 'refused'],
    run: ({ scope, session, input }) => planPolicyFile(toScopes(scope, session), input),
  }),
  change: mutation({
    rest: 'POST /policy-file/change',
    summary: 'Create the change that makes policies, groups and policy tests what a document says. Nothing is applied.',
    access: { permission: 'policy:write' },
    input: PolicyFileChangeInput,
    output: Change,
    status: 201,
    maxBodyBytes: FILE_BYTES,
    problems: ['conflict', 'version_conflict', 'not_found'],
    run: ({ scope, session, input }) => draftPolicyFileChange(toScopes(scope, session), input),
  }),
});
