'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Control } from 'react-hook-form';
import { AssignmentsInput, type User, UserInput, UserUpdate } from '@/domain/user';
import { useSession } from '@/lib/browser-session';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { CheckboxField } from '@/ui/form/checkbox-field';
import { PasswordField } from '@/ui/form/password-field';
import { TextField } from '@/ui/form/text-field';
import { useReadAgain, useSaved } from '../../shared/record-cache';
import { RecordDrawer } from '../../shared/record-drawer';
import { VersionedDrawer } from '../../shared/versioned-form';
import { AssignmentFields, type WithAssignments } from './assignment-fields';
import { NEW_ASSIGNMENT, toAssignment, toAssignmentValues } from './assignment-values';

/** `assignments.0.expires_at` of the server is the field `until` of the form. */
const formField = (field: string) => field.replace(/[.]expires_at$/, '.until');

/** The fields of roles inside a larger form: only `assignments` is touched. */
const toAssignmentControl = <V extends WithAssignments, Out>(control: Control<V, unknown, Out>) =>
  control as unknown as Control<WithAssignments, unknown, Out>;

/** Makes an account. Mount it when it opens. */
export function CreateUserDrawer({ onClose, onCreated }: { onClose: () => void; onCreated: (user: User) => void }) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const save = useMutation(
    trpc.users.create.mutationOptions({
      onSuccess: (user) => {
        void queryClient.invalidateQueries(trpc.users.pathFilter());
        onCreated(user);
      },
    }),
  );
  return (
    <RecordDrawer
      title={t('Create user')}
      size="lg"
      defaultValues={{ email: '', name: '', password: '', assignments: [NEW_ASSIGNMENT] }}
      schema={UserInput}
      toInput={({ password, ...values }) => ({
        ...values,
        ...(password !== '' && { password }),
        assignments: values.assignments.map(toAssignment),
      })}
      save={save}
      submitLabel={t('Create user')}
      fieldName={formField}
      onClose={onClose}
    >
      {(control) => (
        <>
          <TextField control={control} name="email" label={t('Email address')} type="email" maxLength={254} autoFocus />
          <TextField control={control} name="name" label={t('Name')} optional maxLength={100} />
          <PasswordField
            control={control}
            name="password"
            label={t('Password')}
            autoComplete="new-password"
            optional
            description={t(
              'At least 12 characters. Do not send it by email; the user can change it. Without a password, only the sign-in provider works.',
            )}
          />
          <AssignmentFields control={toAssignmentControl(control)} />
        </>
      )}
    </RecordDrawer>
  );
}

type EditProps = { user: User; onClose: () => void };

/** Writes a saved user to the cache, tells it and closes. */
function useUserSaved(onClose: () => void) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const readAgain = useReadAgain();
  const done = useSaved(onClose);
  return {
    read: (id: string) => readAgain(trpc.users.get.queryOptions({ id })),
    done: (title: string) => (saved: User) => {
      queryClient.setQueryData(trpc.users.get.queryKey({ id: saved.id }), saved);
      done(title, trpc.users.pathFilter(), trpc.roles.pathFilter());
    },
  };
}

const toAccountValues = ({ email, name, password_sign_in }: User) => ({ email, name, password_sign_in });

/** Changes address and name of an account. Mount it when it opens. */
export function EditUserDrawer({ user, onClose }: EditProps) {
  const t = useT();
  const { read, done } = useUserSaved(onClose);
  const client = useTRPCClient();
  return (
    <VersionedDrawer
      title={t('Edit {name}', { name: user.email })}
      opened={user}
      read={() => read(user.id)}
      schema={UserUpdate}
      toValues={toAccountValues}
      toInput={(values, { version }) => ({ ...values, version })}
      save={(input) => client.users.update.mutate({ id: user.id, ...input })}
      onSaved={done(t('User saved'))}
      submitLabel={t('Save user')}
      onClose={onClose}
    >
      {({ control }) => (
        <>
          <TextField
            control={control}
            name="email"
            label={t('Email address')}
            type="email"
            maxLength={254}
            description={t('The user signs in with this address from now on.')}
            autoFocus
          />
          <TextField control={control} name="name" label={t('Name')} optional maxLength={100} />
          <CheckboxField
            control={control}
            name="password_sign_in"
            label={t('Allow password sign-in')}
            description={t('Disable for users who must use the sign-in provider. Disabling ends all their sessions.')}
          />
        </>
      )}
    </VersionedDrawer>
  );
}

/** Sets another password and ends all sessions. Mount it when it opens. */
export function SetPasswordDrawer({ user, onClose }: EditProps) {
  const t = useT();
  const session = useSession();
  const own = session.status === 'signed_in' && session.user.id === user.id;
  const { done } = useUserSaved(onClose);
  const save = useMutation(
    useTRPC().users.update.mutationOptions({ onSuccess: done(t('Password set, all sessions ended')) }),
  );
  return (
    <RecordDrawer
      title={t('Set password of {user}', { user: user.email })}
      description={t('Ends all sessions of this user and revokes all API tokens immediately.')}
      defaultValues={{ current_password: '', password: '' }}
      schema={UserUpdate}
      toInput={({ current_password, password }) => ({ password, ...(own && { current_password }) })}
      save={{ ...save, mutate: (input) => save.mutate({ id: user.id, ...input }) }}
      submitLabel={t('Set password')}
      onClose={onClose}
    >
      {(control) => (
        <>
          {own && (
            <PasswordField
              control={control}
              name="current_password"
              label={t('Current password')}
              autoComplete="current-password"
              autoFocus
            />
          )}
          <PasswordField
            control={control}
            name="password"
            label={t('New password')}
            autoComplete="new-password"
            description={t('At least 12 characters. A passphrase is fine.')}
            autoFocus={!own}
          />
        </>
      )}
    </RecordDrawer>
  );
}

const toRoleValues = ({ assignments }: User) => ({ assignments: assignments.map(toAssignmentValues) });

/** Gives a user exactly the roles that are listed. Mount it when it opens. */
export function EditRolesDrawer({ user, adding, onClose }: EditProps & { adding?: boolean }) {
  const t = useT();
  const { read, done } = useUserSaved(onClose);
  const client = useTRPCClient();
  return (
    <VersionedDrawer
      title={adding ? t('Assign role to {user}', { user: user.email }) : t('Roles of {user}', { user: user.email })}
      description={t("Role changes apply from the user's next request.")}
      size="lg"
      opened={user}
      read={() => read(user.id)}
      schema={AssignmentsInput}
      toValues={toRoleValues}
      toInput={({ assignments }, { version }) => ({ assignments: assignments.map(toAssignment), version })}
      save={(input) => client.users.setAssignments.mutate({ id: user.id, ...input })}
      onSaved={done(t('Roles saved'))}
      submitLabel={t('Save roles')}
      fieldName={formField}
      onClose={onClose}
    >
      {({ control }) => <AssignmentFields control={toAssignmentControl(control)} adding={adding} />}
    </VersionedDrawer>
  );
}
