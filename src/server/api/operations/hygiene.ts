import { Change } from '@/domain/change/change';
import {
  HygieneFinding,
  HygieneListInput,
  HygienePage,
  HygieneSummary,
  HygieneSummaryInput,
} from '@/domain/hygiene/finding';
import { fieldsWithout } from '@/domain/list';
import { authorizeIfGranted, type Session } from '../../auth/scope';
import { draftFix } from '../../enforcement/hygiene/draft-fix';
import { listHygiene, readFinding, readHygieneSummary } from '../../enforcement/hygiene/list-hygiene';
import { operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Policies');

/** Fields of the CSV file. */
const CSV = fieldsWithout(HygieneFinding, 'workloads', 'witnesses', 'example', 'actions');

const getWritable = (session: Session) => authorizeIfGranted(session, 'policy:write')?.reach ?? null;

export const hygieneRouter = router({
  list: query({
    rest: 'GET /hygiene',
    summary:
      'List what was proven about rules of policies and unmanaged rules, as last read: shadowed, redundant, contradictory, unused and other rules, the most harmful first.',
    access: { permission: 'policy:read' },
    input: HygieneListInput,
    output: HygienePage,
    run: ({ scope, session, input }) => listHygiene(scope, input, getWritable(session)),
    csv: { name: 'hygiene', columns: CSV },
  }),
  summary: query({
    rest: 'GET /hygiene/summary',
    summary: 'Count findings about rules by kind, and list why nothing is claimed about some policies and workloads.',
    access: { permission: 'policy:read' },
    input: HygieneSummaryInput,
    output: HygieneSummary,
    run: ({ scope, input }) => readHygieneSummary(scope, input),
  }),
  get: query({
    rest: 'GET /hygiene/{hygiene_finding_id}',
    summary: 'Get one finding about a rule, with the rules that decide in place of it and an example packet.',
    access: { permission: 'policy:read' },
    output: HygieneFinding,
    run: ({ scope, session, params }) => readFinding(scope, params.hygiene_finding_id, getWritable(session)),
  }),
  fix: mutation({
    rest: 'POST /hygiene/{hygiene_finding_id}/fix',
    summary:
      'Draft a change that removes the rule of a finding or narrows it to what was used. Nothing is written before the change is applied.',
    access: { permission: 'policy:write' },
    output: Change,
    status: 201,
    problems: ['conflict'],
    run: ({ scope, session, params }) => draftFix(scope, session, params.hygiene_finding_id),
  }),
});
