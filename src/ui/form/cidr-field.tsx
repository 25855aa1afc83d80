'use client';
import type { FieldValues } from 'react-hook-form';
import { formatCidr, hasHostBits, parseCidr, toNetwork } from '@/domain/net/cidr';
import { addressBits, formatIp } from '@/domain/net/ip-address';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '../button';
import { TextInput } from '../text-input';
import { FieldFrame, type FieldProps, useField } from './field-frame';

type Props<V extends FieldValues, Out> = FieldProps<string, V, Out> & { placeholder?: string; autoFocus?: boolean };

/** A network in a form. Shows its size immediately, and offers the network when an address inside it was typed. */
export function CidrField<V extends FieldValues, Out>({
  control,
  name,
  label,
  description,
  optional,
  disabled,
  placeholder = '10.0.0.0/24',
  autoFocus,
}: Props<V, Out>) {
  const t = useT();
  const field = useField<string, V, Out>({ control, name });
  const hint = cidrHint(t, field.value ?? '');
  return (
    <FieldFrame
      {...{ name, label, optional, disabled }}
      error={field.error}
      description={
        hint ? (
          <span className="flex flex-wrap items-center gap-2">
            {hint.text}
            {hint.suggestion && !disabled && (
              <Button size="sm" onClick={() => field.onChange(hint.suggestion ?? null)}>
                {t.rich('Use <cidr>{network}</cidr>', {
                  network: hint.suggestion,
                  cidr: (inside) => <span className="mono">{inside}</span>,
                })}
              </Button>
            )}
          </span>
        ) : (
          description
        )
      }
    >
      <TextInput
        ref={field.ref}
        name={field.name}
        value={field.value ?? ''}
        onChange={(event) => field.onChange(event.target.value)}
        onBlur={field.onBlur}
        autoComplete="off"
        spellCheck={false}
        autoFocus={autoFocus}
        placeholder={placeholder}
        mono
      />
    </FieldFrame>
  );
}

/** What can be said about a network while it is typed; null while it is incomplete. `suggestion` is the network meant. */
export function cidrHint(t: Translate, text: string): { text: string; suggestion?: string } | null {
  const trimmed = text.trim();
  if (!trimmed.includes('/')) return null;
  const cidr = parseCidr(trimmed);
  if (!cidr) return null;
  if (hasHostBits(cidr)) {
    return {
      text: t('{address} is an address inside the prefix, not the prefix itself.', { address: formatIp(cidr.address) }),
      suggestion: formatCidr(toNetwork(cidr)),
    };
  }
  const bits = addressBits(cidr.address.family) - cidr.prefix;
  if (bits > 32) return { text: t('2^{bits} addresses', { bits }) };
  return { text: t('{n, plural, one {# address} other {# addresses}}', { n: 2 ** bits }) };
}
