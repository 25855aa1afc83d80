import { ChangeCreate, ChangeListInput, ChangeStep } from '@/domain/change/change';
import { PolicyCreate, PolicyListInput } from '@/domain/policies';
import { ProjectListInput } from '@/domain/project';
import { authorize, systemScope } from '@/server/auth/scope';
import { createChange } from '@/server/enforcement/changes/draft/create-change';
import { listChanges } from '@/server/enforcement/changes/read-change';
import { submitChange } from '@/server/enforcement/changes/review/submit-change';
import { expandAdoptions } from '@/server/enforcement/drift/expand-adoptions';
import { createPolicy, listPolicies } from '@/server/enforcement/policies/policies';
import { listProjects } from '@/server/tenancy/queries/projects';
import { updateTenant } from '@/server/tenancy/tenants';
import { PROJECT_USER_EMAIL, readDemoSession } from './accounts';
import { ignoreConflict } from './kept-steps';

const TITLE = 'Autumn release of the shop';
const SEARCH = 'Search answers the shop only';

/** Lets the operator of the web shop ask for the approval of a change that another person has to give. */
export async function addChangeInReview(): Promise<void> {
  const session = await readDemoSession(PROJECT_USER_EMAIL);
  const scope = authorize(session, 'policy:write');
  const [project] = await listProjects('all', ProjectListInput.parse({ q: 'Web shop' })).then(({ items }) => items);
  if (!project) throw new Error('the demo has no project Web shop');
  const owner = { tenant_id: project.tenant_id, project_id: project.id };
  await updateTenant(systemScope('tenant:write', 'demo data'), project.tenant_id, { approvals_required: 1 });

  const search = {
    ...{ ...owner, name: SEARCH, priority: 100 },
    definition: { enforcement_mode: 'audit', direction: 'in', sources: ['api-01', 'api-02'], targets: ['search-01'] },
    rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['9200'], comment: 'Queries' }],
  };
  await ignoreConflict(() => createPolicy(scope, PolicyCreate.parse({ ...search, reason: 'First draft' })));
  const read = authorize(session, 'policy:read');
  const [stored] = (await listPolicies(read, PolicyListInput.parse({ q: SEARCH }))).items;
  const known = await listChanges(read, ChangeListInput.parse({ q: TITLE }));
  if (known.items.length > 0) return;

  const enforced = { enforcement_mode: 'enforced', default_action: 'drop' };
  const definition = { ...search.definition, ...enforced, sources: [...search.definition.sources, 'api-03'] };
  const web = {
    ...{ ...owner, name: 'Web servers behind the balancers', priority: 110 },
    definition: {
      ...{ ...enforced, direction: 'in', sources: ['lb-01', 'lb-02'] },
      targets: ['web-01', 'web-02', 'web-03', 'web-04'],
    },
    rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['8080'], comment: 'From the balancers' }],
  };
  const draft = ChangeCreate.parse({
    title: TITLE,
    description: 'Two weeks of audit mode are over: search and web servers accept only whom they serve.',
    items: [
      { kind: 'policy', policy_id: stored?.id, policy: { ...search, definition } },
      { kind: 'policy', policy: web },
    ],
    waves: { canaries: { by: 'count', count: 1 }, pause_seconds: 600 },
  });
  const { id } = await createChange(scope, session, {
    ...draft,
    items: await expandAdoptions(scope, session, draft.items),
  });
  const comment = 'Please look at the monitoring of the web servers.';
  await submitChange(scope, session, id, ChangeStep.parse({ comment }));
}
