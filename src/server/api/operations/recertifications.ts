import { fieldsWithout } from '@/domain/list';
import {
  Recertification,
  RecertificationConfirm,
  RecertificationListInput,
  RecertificationPage,
} from '@/domain/recertification';
import { confirmRecertification, listRecertifications } from '../../enforcement/recertification/recertifications';
import { operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Policies');
const access = { permission: 'policy:read' } as const;

export const recertificationsRouter = router({
  list: query({
    rest: 'GET /recertifications',
    summary:
      'List the policies that have to be confirmed once per period, the longest due first. format=csv returns all as a file.',
    access,
    input: RecertificationListInput,
    output: RecertificationPage,
    csv: { name: 'recertifications', columns: fieldsWithout(Recertification, 'tenant_id', 'project_id') },
    run: ({ scope, session, input }) => listRecertifications(scope, session, input),
  }),
  confirm: mutation({
    rest: 'POST /recertifications/{policy_id}/confirm',
    summary:
      'Confirm that a policy is still needed. Its owner does so, with an API token only if that has policy:write; without an owner, anyone with policy:write for it. It is due again one period later.',
    access,
    input: RecertificationConfirm,
    output: Recertification,
    bodyOptional: true,
    problems: ['conflict'],
    run: ({ scope, session, params, input }) => confirmRecertification(scope, session, params.policy_id, input),
  }),
});
