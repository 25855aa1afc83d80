import type { Policy, SecurityRule } from '@/domain/policies';
import { Badge } from '@/ui/badge';
import { columnsOf } from '@/ui/columns';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { ACTION_WORDS, LOG_WORDS, PROTOCOL_WORDS } from '../editor/rule-words';

const make = columnsOf<SecurityRule>();
const TONES = { accept: 'ok', drop: 'danger', reject: 'warn' } as const;

const COLUMNS = [
  make.text('position', 'No.', (rule) => String(rule.position + 1), { width: 56 }),
  make.custom('action', 'Action', (rule) => <Badge tone={TONES[rule.action]}>{ACTION_WORDS[rule.action]}</Badge>, {
    width: 90,
    csv: (rule) => rule.action,
  }),
  make.text('protocol', 'Protocol', (rule) => PROTOCOL_WORDS[rule.protocol], { width: 120 }),
  make.mono('destination_ports', 'To port', (rule) => rule.destination_ports.join(', ') || rule.icmp_type, {
    width: 170,
    grow: true,
  }),
  make.mono('source_ports', 'From port', (rule) => rule.source_ports.join(', '), { width: 120 }),
  make.text('log', 'Log', (rule) => (rule.log === 'nolog' ? null : LOG_WORDS[rule.log]), { width: 110 }),
  make.custom('enabled', 'State', (rule) => (rule.enabled ? 'Enabled' : <Badge tone="off">Disabled</Badge>), {
    width: 96,
    csv: (rule) => rule.enabled,
  }),
  make.text('comment', 'Comment', (rule) => rule.comment, { width: 180, grow: true }),
];

/** The rules of a policy in their order. */
export function RulesTab({ policy }: { policy: Policy }) {
  return (
    <DataTable
      id="policy-rules"
      label="Rules of the policy"
      noun={{ one: 'rule', many: 'rules' }}
      columns={COLUMNS}
      rows={policy.rules}
      rowId={(rule) => rule.id}
      total={policy.rules.length}
      loading={false}
      error={null}
      height="auto"
      empty={<EmptyState title="No rules">Without rules the policy decides nothing. Add some with Edit.</EmptyState>}
    />
  );
}
