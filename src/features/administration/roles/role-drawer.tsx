'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import { type Role, RoleInput, RoleUpdate } from '@/domain/role';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Combobox } from '@/ui/combobox';
import { CheckboxField } from '@/ui/form/checkbox-field';
import { FieldFrame, type FieldProps, useField } from '@/ui/form/field-frame';
import { TextField } from '@/ui/form/text-field';
import { PermissionMatrix } from '../../shared/permissions/permission-matrix';
import { useVersioned } from '../../shared/record-cache';
import { RecordDrawer } from '../../shared/record-drawer';
import { usePermissions } from '../../shared/use-permissions';
import { VersionedDrawer } from '../../shared/versioned-form';

function PermissionField<V extends FieldValues, Out>(props: Pick<FieldProps<string[], V, Out>, 'control' | 'name'>) {
  const t = useT();
  const { can } = usePermissions();
  const field = useField<string[], V, Out>(props);
  return (
    // Not a FieldFrame: its label would name every box in it.
    <fieldset data-field={props.name} className="flex min-w-0 flex-col gap-1">
      <legend className="pb-1 font-medium">{t('Permissions')}</legend>
      <PermissionMatrix value={field.value ?? []} onChange={field.onChange} maySuper={can('*')} />
      {field.error && <p className="text-sm text-danger">{field.error}</p>}
    </fieldset>
  );
}

/** Copies what a built-in role holds into the form. What was ticked before is replaced. */
function StartFromField<V extends FieldValues, Out>({
  control,
  permissions,
  secondFactor,
}: Pick<FieldProps<string[], V, Out>, 'control'> & {
  permissions: FieldProps<string[], V, Out>['name'];
  secondFactor: FieldProps<boolean, V, Out>['name'];
}) {
  const t = useT();
  const trpc = useTRPC();
  const { can } = usePermissions();
  const held = useField<string[], V, Out>({ control, name: permissions });
  const factor = useField<boolean, V, Out>({ control, name: secondFactor });
  const [chosen, choose] = useState<string | null>(null);
  const { data } = useQuery(trpc.roles.list.queryOptions({ sort: 'title', limit: 500 }));
  const roles = (data?.items ?? []).filter((role) => role.built_in && (can('*') || !role.permissions.includes('*')));
  const options = roles.map(({ id, title }) => ({ value: id, label: title }));
  return (
    <FieldFrame
      name="start_from"
      label={t('Copy from role')}
      description={t('Copies the permissions of a built-in role. Change them as needed.')}
      error={undefined}
      optional
    >
      <Combobox
        value={options.find(({ value }) => value === chosen) ?? null}
        onValueChange={(option) => {
          choose(option?.value ?? null);
          const role = roles.find(({ id }) => id === option?.value);
          held.onChange([...(role?.permissions ?? [])]);
          factor.onChange(role?.requires_second_factor ?? false);
        }}
        options={options}
        placeholder={t('No permissions')}
        clearable
      />
    </FieldFrame>
  );
}

/** Fields that a built-in role fills in. */
const COPIED = { permissions: 'permissions', secondFactor: 'requires_second_factor' } as const;

const NAME_EXAMPLE = 'firewall_reader';
const FACTOR_LABEL = msg('Require a second factor');
const FACTOR_TEXT = msg('Users with this role must set up a second factor first. API tokens keep working.');

type CreateProps = { from?: Role; onClose: () => void; onCreated: (role: Role) => void };

/** Makes a role, from scratch or with the permissions of another. Mount it when it opens. */
export function CreateRoleDrawer({ from, onClose, onCreated }: CreateProps) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const save = useMutation(
    trpc.roles.create.mutationOptions({
      onSuccess: (role) => {
        void queryClient.invalidateQueries(trpc.roles.pathFilter());
        onCreated(role);
      },
    }),
  );
  return (
    <RecordDrawer
      title={from ? t('Duplicate role {title}', { title: from.title }) : t('Create role')}
      size="lg"
      defaultValues={newRoleValues(from)}
      schema={RoleInput}
      toInput={(values) => values}
      save={save}
      submitLabel={t('Create role')}
      fieldName={(field) => (field.startsWith('permissions.') ? 'permissions' : field)}
      onClose={onClose}
    >
      {(control) => (
        <>
          <TextField control={control} name="title" label={t('Title')} maxLength={100} autoFocus />
          <TextField
            control={control}
            name="name"
            label={t('Name')}
            mono
            maxLength={63}
            placeholder={NAME_EXAMPLE}
            description={t('Used in the API and the audit trail. It cannot be changed later.')}
          />
          {!from && <StartFromField control={control} {...COPIED} />}
          <CheckboxField
            control={control}
            name="requires_second_factor"
            label={t(FACTOR_LABEL)}
            description={t(FACTOR_TEXT)}
          />
          <PermissionField control={control} name="permissions" />
        </>
      )}
    </RecordDrawer>
  );
}

const toRoleValues = ({ title, permissions, requires_second_factor }: Role) => ({
  title,
  permissions,
  requires_second_factor,
});

/**
 * Changes title, permissions and second factor of a role, with immediate effect. Of a built-in role only the second
 * factor can be changed. Mount it when it opens.
 */
export function EditRoleDrawer({ role, onClose }: { role: Role; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const stored = useVersioned({
    query: trpc.roles.get.queryOptions({ id: role.id }),
    saved: () => t('Role saved'),
    outdated: [trpc.roles.pathFilter()],
    onClose,
  });
  const { users_total } = role;
  return (
    <VersionedDrawer
      title={t('Edit {name}', { name: role.title })}
      description={
        users_total === 0
          ? undefined
          : t('Takes effect immediately for {n, plural, one {its user} other {its # users}}.', { n: users_total })
      }
      size="lg"
      opened={role}
      {...stored}
      schema={RoleUpdate}
      toValues={toRoleValues}
      toInput={({ requires_second_factor, ...own }, { version }) => ({
        ...(!role.built_in && own),
        requires_second_factor,
        version,
      })}
      save={(input) => client.roles.update.mutate({ id: role.id, ...input })}
      submitLabel={t('Save role')}
      fieldName={(field) => (field.startsWith('permissions.') ? 'permissions' : field)}
    >
      {({ control }) => (
        <>
          {!role.built_in && <TextField control={control} name="title" label={t('Title')} maxLength={100} autoFocus />}
          <CheckboxField
            control={control}
            name="requires_second_factor"
            label={t(FACTOR_LABEL)}
            description={t(FACTOR_TEXT)}
          />
          {role.built_in ? (
            <p className="text-muted">{t('Other fields of a built-in role cannot be changed.')}</p>
          ) : (
            <PermissionField control={control} name="permissions" />
          )}
        </>
      )}
    </VersionedDrawer>
  );
}

/** What the form of a new role starts with: nothing, or the permissions of another role. */
export const newRoleValues = (from?: Pick<Role, 'permissions' | 'requires_second_factor'>) => ({
  title: '',
  name: '',
  permissions: from?.permissions ?? ([] as string[]),
  requires_second_factor: from?.requires_second_factor ?? false,
});
