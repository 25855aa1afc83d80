'use client';
import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import { lowerLabel } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { IconButton } from '../button';
import type { FieldProps } from './field-frame';
import { TextField } from './text-field';

type Props<V extends FieldValues, Out> = FieldProps<string, V, Out> & {
  /** `off` for secrets that are not the user's own password, such as API tokens. */
  autoComplete: 'current-password' | 'new-password' | 'off';
  placeholder?: string;
  autoFocus?: boolean;
};

/** A secret in a form, hidden until asked for. */
export function PasswordField<V extends FieldValues, Out>(props: Props<V, Out>) {
  const t = useT();
  const [shown, setShown] = useState(false);
  const label = lowerLabel(t, props.label);
  return (
    <TextField
      {...props}
      type={shown ? 'text' : 'password'}
      mono={shown}
      trailing={
        <IconButton
          size="sm"
          label={shown ? t('Hide {label}', { label }) : t('Show {label}', { label })}
          aria-pressed={shown}
          icon={shown ? <EyeOff size={14} /> : <Eye size={14} />}
          onClick={() => setShown((now) => !now)}
        />
      }
    />
  );
}
