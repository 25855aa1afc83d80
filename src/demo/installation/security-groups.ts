import { WorkloadListInput } from '@/domain/inventory';
import { SecurityGroupInput } from '@/domain/security-group';
import { systemScope } from '@/server/auth/scope';
import { createSecurityGroup } from '@/server/enforcement/groups/create-group';
import { addMember } from '@/server/enforcement/groups/members';
import { listWorkloads } from '@/server/enforcement/inventory-views/workloads';

import { ignoreConflict } from './kept-steps';

type Group = {
  name: string;
  description: string;
  tags?: readonly string[];
  match?: 'all';
  members?: readonly string[];
};

const GROUPS: readonly Group[] = [
  { name: 'load-balancers', description: 'Where customers arrive.', members: ['lb-01', 'lb-02'] },
  { name: 'web-servers', description: 'Behind the load balancers.', tags: ['prod', 'web'], match: 'all' },
  { name: 'applications', description: 'Shop services, searches included.', tags: ['prod', 'app'], match: 'all' },
  { name: 'databases', description: 'Whatever holds data of customers.', tags: ['db', 'cache', 'queue'] },
  { name: 'monitoring', description: 'Scrapes and collects everything.', members: ['metrics-01', 'logs-01'] },
  { name: 'name-servers', description: 'DNS of both sites.', tags: ['dns'] },
  { name: 'desktops', description: 'Desktops of the office.', tags: ['desktop'] },
  { name: 'administration', description: 'The only way in for administrators.', members: ['bastion-01'] },
  { name: 'erp', description: 'Until it moves, some day.', members: ['erp-app-01', 'erp-db-01'] },
];

/** Adds the groups that the demo's policies speak of. */
export async function addSecurityGroups(): Promise<void> {
  const write = systemScope('group:write', 'demo data');
  const { items } = await listWorkloads(
    systemScope('workload:read', 'demo data'),
    WorkloadListInput.parse({ limit: 500 }),
  );
  const ids = new Map(items.map(({ name, id }) => [name, id]));
  for (const { name, description, tags = [], match = 'any', members = [] } of GROUPS) {
    await ignoreConflict(async () => {
      const input = SecurityGroupInput.parse({ name, description, member_tags: tags, member_tags_match: match });
      const group = await createSecurityGroup(write, input);
      for (const member of members) {
        const workload = ids.get(member);
        if (workload === undefined) throw new Error(`the demo has no workload ${member}`);
        await ignoreConflict(() => addMember(write, group.id, workload));
      }
    });
  }
}
