import type { SecurityGroup } from '@/domain/security-group';
import { columnsOf } from '@/ui/columns';
import { Missing } from '@/ui/missing';
import { SecurityGroupLink } from '../shared/security-links';
import { tagRuleText } from './tag-rule-text';

const make = columnsOf<SecurityGroup>();

export const GROUP_COLUMNS = [
  make.text('name', 'Name', (group) => group.name, {
    sortable: true,
    width: 200,
    grow: true,
    render: (group) => <SecurityGroupLink id={group.id} name={group.name} />,
  }),
  make.number('members_total', 'Members', (group) => group.members_total, { sortable: true, width: 100 }),
  make.text('member_tags', 'Members by tag', (group) => tagRuleText(group), {
    width: 180,
    grow: true,
    render: (group) => tagRuleText(group) ?? <Missing label="No tag rule" />,
  }),
  make.number('policies_total', 'Policies', (group) => group.policies_total, { width: 90 }),
  make.text('description', 'Description', (group) => group.description, { width: 200, grow: true }),
  make.text('tenant_name', 'Tenant', (group) => group.tenant_name, { hidden: true, width: 120 }),
  make.time('updated_at', 'Changed', (group) => group.updated_at, { sortable: true, width: 110 }),
  make.time('created_at', 'Created', (group) => group.created_at, { sortable: true, hidden: true, width: 110 }),
];
