'use client';
import { protocolHasPorts, RULE_PROTOCOLS } from '@/domain/policy/choices';
import type { RuleProtocol } from '@/domain/policy/policy';
import { useT } from '@/lib/i18n/use-t';
import { FieldFrame } from '@/ui/form/field-frame';
import { Select } from '@/ui/select';
import { TextInput } from '@/ui/text-input';
import { PROTOCOL_LABELS } from '../shared/security-rule-labels';

export const toProtocol = (text: string | null): RuleProtocol =>
  RULE_PROTOCOLS.find((one) => one === text) ?? RULE_PROTOCOLS[0];

type Props = {
  protocol: RuleProtocol;
  onProtocolChange: (protocol: RuleProtocol) => void;
  ports: string;
  onPortsChange: (ports: string) => void;
  /** One port only. */
  single?: boolean;
  error?: string | undefined;
};

/** The service of a question: protocol, and ports of the destination. */
export function ServiceFields({ protocol, onProtocolChange, ports, onPortsChange, single, error }: Props) {
  const t = useT();
  return (
    <>
      <FieldFrame name="protocol" label={t('Protocol')} error={undefined} nativeLabel={false}>
        <Select
          value={protocol}
          onValueChange={onProtocolChange}
          options={RULE_PROTOCOLS.map((value) => ({ value, label: t(PROTOCOL_LABELS[value]) }))}
        />
      </FieldFrame>
      {protocolHasPorts(protocol) && (
        <FieldFrame name="ports" label={single ? t('Port') : t('Ports')} optional error={error}>
          <TextInput
            mono
            value={ports}
            onChange={(event) => onPortsChange(event.currentTarget.value)}
            placeholder={single ? '5432' : '443, 8000-8080'}
          />
        </FieldFrame>
      )}
    </>
  );
}
