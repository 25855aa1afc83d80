'use client';
import { useMutation } from '@tanstack/react-query';
import type { FieldValues } from 'react-hook-form';
import { ApiTokenInput, type CreatedApiToken } from '@/domain/account';
import { MAX_TOKEN_DAYS } from '@/domain/choices';
import { isGranted, PERMISSIONS } from '@/domain/permissions';
import { useSession } from '@/lib/browser-session';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { ComboboxField } from '@/ui/form/combobox-field';
import { type FieldProps, useField } from '@/ui/form/field-frame';
import { NumberField } from '@/ui/form/number-field';
import { TextField } from '@/ui/form/text-field';
import { PermissionMatrix } from '../shared/permissions/permission-matrix';
import { RecordDrawer } from '../shared/record-drawer';

const EVERYWHERE = 'everywhere';

/** What the signed-in user may give to a token, and where. */
function useOwnRights() {
  const t = useT();
  const session = useSession();
  if (session.status !== 'signed_in') return { offered: [], places: [] };
  const { grants, tenants } = session.user;
  return {
    offered: PERMISSIONS.filter((permission) => isGranted(grants, permission)),
    places: [
      { value: EVERYWHERE, label: t('Everywhere I have permissions') },
      ...tenants.map(({ id, name }) => ({ value: id, label: name })),
    ],
  };
}

function PermissionField<V extends FieldValues, Out>(props: Pick<FieldProps<string[], V, Out>, 'control' | 'name'>) {
  const t = useT();
  const { offered } = useOwnRights();
  const field = useField<string[], V, Out>(props);
  return (
    <fieldset data-field={props.name} className="flex min-w-0 flex-col gap-1">
      <legend className="pb-1 font-medium">{t('Permissions')}</legend>
      <PermissionMatrix value={field.value ?? []} onChange={field.onChange} offered={offered} />
      {field.error && <p className="text-sm text-danger">{field.error}</p>}
    </fieldset>
  );
}

type Props = { onClose: () => void; onCreated: (token: CreatedApiToken) => void };

/** Makes a token for a program. Mount it when it opens. */
export function CreateTokenDrawer({ onClose, onCreated }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const { places } = useOwnRights();
  const save = useMutation(trpc.account.createToken.mutationOptions({ onSuccess: onCreated }));
  return (
    <RecordDrawer
      title={t('Create API token')}
      size="lg"
      defaultValues={{
        name: '',
        permissions: [] as string[],
        tenant_id: EVERYWHERE,
        expires_in_days: 90 as number | null,
      }}
      schema={ApiTokenInput}
      toInput={({ tenant_id, ...values }) => ({ ...values, tenant_id: tenant_id === EVERYWHERE ? null : tenant_id })}
      save={save}
      submitLabel={t('Create token')}
      fieldName={(field) => (field.startsWith('permissions.') ? 'permissions' : field)}
      onClose={onClose}
    >
      {(control) => (
        <>
          <TextField
            control={control}
            name="name"
            label={t('Purpose')}
            maxLength={100}
            placeholder={t('Policy backup')}
            autoFocus
          />
          <NumberField
            control={control}
            name="expires_in_days"
            label={t('Valid for')}
            unit={t('days')}
            min={1}
            max={MAX_TOKEN_DAYS}
          />
          {places.length > 1 && (
            <ComboboxField control={control} name="tenant_id" label={t('Scope')} options={places} />
          )}
          <PermissionField control={control} name="permissions" />
        </>
      )}
    </RecordDrawer>
  );
}
