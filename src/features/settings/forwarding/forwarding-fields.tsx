'use client';
import { type Control, useController, useWatch } from 'react-hook-form';
import { FORWARDING_WAIT_HOURS, IPFIX_BYTES, SYSLOG_BYTES } from '@/domain/choices';
import type { ForwardingDestination, ForwardingKind } from '@/domain/forwarding/destination';
import { useT } from '@/lib/i18n/use-t';
import { CheckboxField } from '@/ui/form/checkbox-field';
import { NumberField } from '@/ui/form/number-field';
import { PasswordField } from '@/ui/form/password-field';
import { SelectField } from '@/ui/form/select-field';
import { TextField } from '@/ui/form/text-field';
import { TextareaField } from '@/ui/form/textarea-field';
import type { Option } from '@/ui/option';
import { CheckGroupField } from '../../shared/check-group-field';
import { kindOptions, streamOptions, transportOptions } from './forwarding-columns';
import { changeUsual, type ForwardingValues } from './forwarding-form-values';

type Props<Out> = {
  control: Control<ForwardingValues, unknown, Out>;
  /** The stored destination: its kind and tenant stay, and its secrets are only entered to change them. */
  stored?: ForwardingDestination;
  tenants?: readonly Option[];
};

function HostFields<Out>({ control, isPrivate = false }: Pick<Props<Out>, 'control'> & { isPrivate?: boolean }) {
  const t = useT();
  return (
    <>
      <TextField
        control={control}
        name="host"
        label={t('Host')}
        mono
        placeholder={isPrivate ? '10.0.0.10' : '192.0.2.10'}
        description={
          isPrivate
            ? t('UDP is neither encrypted nor confirmed, and is accepted for private addresses only.')
            : undefined
        }
      />
      <NumberField control={control} name="port" label={t('Port')} min={1} max={65_535} steppers={false} />
    </>
  );
}

function SocketFields<Out>({ control }: Pick<Props<Out>, 'control'>) {
  const t = useT();
  return (
    <>
      <HostFields control={control} />
      <SelectField
        control={control}
        name="transport"
        label={t('Transport')}
        description={t('Unencrypted connections are accepted for private addresses only.')}
        options={transportOptions(t)}
      />
    </>
  );
}

function HttpFields<Out>({ control, stored }: Props<Out>) {
  const t = useT();
  return (
    <>
      <TextField
        control={control}
        name="url"
        label={t('URL')}
        type="url"
        mono
        optional={stored !== undefined}
        placeholder={stored?.url_origin ? `${stored.url_origin}/…` : 'https://'}
        description={
          stored
            ? t('Stored encrypted and not shown again. Leave empty to keep the current URL.')
            : t('Stored encrypted and not shown again. http is accepted for private addresses only.')
        }
      />
      <TextField control={control} name="header_name" label={t('Header')} mono />
      <PasswordField
        control={control}
        name="header_value"
        label={t('Header value')}
        autoComplete="off"
        optional
        description={
          stored?.has_header_value
            ? t('Leave empty to keep the stored value. A URL on another server requires the value again.')
            : t('The token of the receiver, such as "Bearer …" or "Splunk …". Stored encrypted.')
        }
      />
    </>
  );
}

const MESSAGE_BYTES = { syslog: SYSLOG_BYTES, ipfix: IPFIX_BYTES };

function MessageField<Out>({ control, kind }: Pick<Props<Out>, 'control'> & { kind: keyof typeof MESSAGE_BYTES }) {
  const t = useT();
  const { min, max } = MESSAGE_BYTES[kind];
  return (
    <NumberField
      control={control}
      name="max_message_bytes"
      label={t('Largest message')}
      description={
        kind === 'syslog'
          ? t('Larger records lose their longest fields. rsyslog accepts 8192 bytes by default.')
          : t('One datagram, without IP and UDP headers. 1400 bytes fit into a usual Ethernet frame.')
      }
      unit={t('bytes')}
      min={min}
      max={max}
      steppers={false}
    />
  );
}

/** The kind of a new destination: fields that hold what is usual follow it. */
function KindField<Out>({ control }: Pick<Props<Out>, 'control'>) {
  const t = useT();
  const { field: kind } = useController({ control, name: 'kind' });
  const { field: port } = useController({ control, name: 'port' });
  const { field: bytes } = useController({ control, name: 'max_message_bytes' });
  const follow = (next: ForwardingKind) => {
    port.onChange(changeUsual('port', port.value, kind.value, next));
    bytes.onChange(changeUsual('max_message_bytes', bytes.value, kind.value, next));
  };
  return <SelectField control={control} name="kind" label={t('Kind')} options={kindOptions(t)} onChoose={follow} />;
}

/** What is sent where. */
export function ForwardingFields<Out>({ control, stored, tenants = [] }: Props<Out>) {
  const t = useT();
  const kind = useWatch({ control, name: 'kind' });
  return (
    <>
      <TextField control={control} name="name" label={t('Name')} maxLength={100} autoFocus={!stored} />
      {!stored && <KindField control={control} />}
      {kind === 'ipfix' ? (
        <p className="text-sm text-muted">{t('Only conversations are sent, each direction as a flow.')}</p>
      ) : (
        <CheckGroupField control={control} name="streams" label={t('Records')} choices={streamOptions(t)} />
      )}
      {tenants.length > 0 && (
        <SelectField
          control={control}
          name="tenant_id"
          label={t('Restrict to tenant')}
          description={t('Only records that this tenant may read are sent. It cannot be changed later.')}
          options={tenants}
        />
      )}
      {kind === 'http' && <HttpFields control={control} stored={stored} />}
      {kind === 'ipfix' && <HostFields control={control} isPrivate />}
      {(kind === 'syslog' || kind === 'json') && <SocketFields control={control} />}
      {kind !== 'ipfix' && (
        <TextareaField
          control={control}
          name="ca_certificates"
          label={t('Certificate authorities')}
          rows={3}
          optional
          description={t("PEM certificates to trust instead of the system's.")}
        />
      )}
      {(kind === 'syslog' || kind === 'ipfix') && <MessageField control={control} kind={kind} />}
      <NumberField
        control={control}
        name="max_wait_hours"
        label={t('Retry conversations for')}
        description={
          kind === 'ipfix'
            ? t('Older conversations are counted as lost.')
            : t(
                'Older conversations are counted as lost. Audit records are retried as long as the audit trail keeps them.',
              )
        }
        unit={t('hours')}
        min={FORWARDING_WAIT_HOURS.min}
        max={FORWARDING_WAIT_HOURS.max}
      />
      <CheckboxField control={control} name="enabled" label={t('Destination enabled')} />
    </>
  );
}
