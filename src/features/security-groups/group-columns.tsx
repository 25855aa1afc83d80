import type { SecurityGroup } from '@/domain/security-group';
import type { Translate } from '@/lib/i18n/translator';
import { createColumnHelper } from '@/ui/columns';
import { Missing } from '@/ui/values';
import { SecurityGroupLink } from '../shared/entity-links';
import { tagRuleText } from './group-labels';

const make = createColumnHelper<SecurityGroup>();

export const groupColumns = (t: Translate) => [
  make.text('name', t('Name'), (group) => group.name, {
    sortable: true,
    width: 200,
    grow: true,
    render: (group) => <SecurityGroupLink id={group.id} name={group.name} />,
  }),
  make.number('members_total', t('Members'), (group) => group.members_total, { sortable: true }),
  make.text('member_tags', t('Members by tag'), (group) => tagRuleText(t, group), {
    width: 180,
    grow: true,
    render: (group) => tagRuleText(t, group) ?? <Missing label={t('No tag rule')} />,
  }),
  make.number('policies_total', t('Policies'), (group) => group.policies_total),
  make.text('description', t('Description'), (group) => group.description, { width: 200, grow: true }),
  make.text('tenant_name', t('Tenant'), (group) => group.tenant_name, { hidden: true, width: 120 }),
  make.text('project_name', t('Project'), (group) => group.project_name, { hidden: true, width: 120 }),
  make.time('updated_at', t('Changed'), (group) => group.updated_at, { sortable: true }),
  make.time('created_at', t('Created'), (group) => group.created_at, { sortable: true, hidden: true }),
];
