'use client';
import { useQueryClient } from '@tanstack/react-query';
import { useWatch } from 'react-hook-form';
import type { Directory } from '@/domain/directory';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { CheckboxField } from '@/ui/form/checkbox-field';
import { PasswordField } from '@/ui/form/password-field';
import { SelectField } from '@/ui/form/select-field';
import { TextField } from '@/ui/form/text-field';
import { TextareaField } from '@/ui/form/textarea-field';
import { Section } from '@/ui/section';
import { showToast } from '@/ui/toast';
import { useReadAgain } from '../../shared/record-cache';
import { useVersionedForm } from '../../shared/use-versioned-form';
import { VersionedSettings } from '../../shared/versioned-form';
import { useRoleChoices, useRolePlaces } from '../use-choices';
import { DirectoryLookup } from './directory-lookup';
import { toDirectoryInput, toDirectoryValues } from './directory-values';
import { MappingFields } from './mapping-fields';

const loadDirectoryInput = () => import('@/domain/directory').then((module) => module.DirectoryInput);
const EXAMPLES = {
  urls: 'ldaps://ldap.example.org',
  bind_dn: 'cn=fabric,ou=services,dc=example,dc=org',
  base_dn: 'ou=people,dc=example,dc=org',
  group_base_dn: 'ou=groups,dc=example,dc=org',
  certificate: '-----BEGIN CERTIFICATE-----',
};

/** The form of the directory. */
export function DirectoryForm({ directory }: { directory: Directory }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const readAgain = useReadAgain();
  const roles = useRoleChoices();
  const places = useRolePlaces();
  const edit = useVersionedForm({
    opened: directory,
    read: () => readAgain(trpc.directory.get.queryOptions()),
    schema: loadDirectoryInput,
    toValues: toDirectoryValues,
    toInput: toDirectoryInput,
    save: (input) => client.directory.update.mutate(input),
    onSaved: (saved) => {
      queryClient.setQueryData(trpc.directory.get.queryKey(), saved);
      edit.show(saved);
      showToast('ok', { title: t('Directory saved') });
    },
  });
  const { control } = edit.form;
  const requiresGroup = useWatch({ control, name: 'require_group' });
  return (
    <div className="flex max-w-3xl flex-col gap-4">
      <VersionedSettings
        edit={edit}
        stored={directory}
        submitLabel={t('Save directory')}
        outdatedTitle={t('Another user changed the directory')}
      >
        {(locked) => {
          const disabled = locked !== null;
          return (
            <>
              <Section title={t('Connection')}>
                <div className="flex flex-col gap-3">
                  <CheckboxField
                    control={control}
                    name="enabled"
                    label={t('Enable sign-in with this directory')}
                    description={t(
                      'Users without a local account sign in with their directory password in the same form.',
                    )}
                    disabled={disabled}
                  />
                  <TextareaField
                    control={control}
                    name="urls"
                    label={t('Servers')}
                    rows={2}
                    mono
                    placeholder={EXAMPLES.urls}
                    description={t('One URL per line, tried in this order.')}
                    disabled={disabled}
                  />
                  <SelectField
                    control={control}
                    name="security"
                    label={t('Encryption')}
                    options={[
                      { value: 'ldaps', label: t('TLS (ldaps://)') },
                      { value: 'starttls', label: t('StartTLS (ldap://)') },
                      { value: 'none', label: t('None, on this machine only') },
                    ]}
                    disabled={disabled}
                  />
                  <TextareaField
                    control={control}
                    name="ca_certificate"
                    label={t('CA certificate')}
                    rows={4}
                    mono
                    optional
                    placeholder={EXAMPLES.certificate}
                    description={t("PEM certificates to trust instead of the system's.")}
                    disabled={disabled}
                  />
                  <TextField
                    control={control}
                    name="bind_dn"
                    label={t('Bind DN')}
                    mono
                    placeholder={EXAMPLES.bind_dn}
                    description={t('Account that may read users and groups. It needs no other rights.')}
                    disabled={disabled}
                  />
                  <PasswordField
                    control={control}
                    name="bind_password"
                    label={t('Bind password')}
                    autoComplete="off"
                    optional={directory.has_bind_password}
                    placeholder={directory.has_bind_password ? t('Stored; leave empty to keep it') : undefined}
                    disabled={disabled}
                  />
                </div>
              </Section>
              <Section title={t('Users')}>
                <div className="flex flex-col gap-3">
                  <TextField
                    control={control}
                    name="base_dn"
                    label={t('Base DN of users')}
                    mono
                    placeholder={EXAMPLES.base_dn}
                    disabled={disabled}
                  />
                  <TextField
                    control={control}
                    name="user_filter"
                    label={t('User filter')}
                    mono
                    description={t(
                      '{placeholder} is the name entered at sign-in, escaped. It must match one account.',
                      {
                        placeholder: '{user}',
                      },
                    )}
                    disabled={disabled}
                  />
                  <div className="grid gap-3 sm:grid-cols-3">
                    <TextField
                      control={control}
                      name="id_attribute"
                      label={t('ID attribute')}
                      mono
                      disabled={disabled}
                    />
                    <TextField
                      control={control}
                      name="name_attribute"
                      label={t('Name attribute')}
                      mono
                      disabled={disabled}
                    />
                    <TextField
                      control={control}
                      name="email_attribute"
                      label={t('Email attribute')}
                      mono
                      disabled={disabled}
                    />
                  </div>
                  <p className="text-sm text-muted">
                    {t('The ID must never change: entryUUID, in Active Directory objectGUID.')}
                  </p>
                  <TextField
                    control={control}
                    name="disabled_filter"
                    label={t('Filter of disabled accounts')}
                    mono
                    optional
                    description={t('Accounts that match cannot sign in, and lose their sessions within ten minutes.')}
                    disabled={disabled}
                  />
                </div>
              </Section>
              <Section
                title={t('Roles by group')}
                description={t('Assigned and unassigned at every sign-in. Manually assigned roles stay.')}
              >
                <div className="flex flex-col gap-3">
                  <SelectField
                    control={control}
                    name="group_source"
                    label={t('Groups from')}
                    options={[
                      { value: 'search', label: t('Search with the group filter') },
                      { value: 'member_of', label: t('Attribute memberOf') },
                    ]}
                    disabled={disabled}
                  />
                  <TextField
                    control={control}
                    name="group_base_dn"
                    label={t('Base DN of groups')}
                    mono
                    placeholder={EXAMPLES.group_base_dn}
                    description={t('Groups outside this DN are ignored.')}
                    disabled={disabled}
                  />
                  <TextField
                    control={control}
                    name="group_filter"
                    label={t('Group filter')}
                    mono
                    description={t('{dn} is the DN of the user, {user} the name entered at sign-in, both escaped.', {
                      dn: '{dn}',
                      user: '{user}',
                    })}
                    disabled={disabled}
                  />
                  <CheckboxField
                    control={control}
                    name="nested_groups"
                    label={t('Include nested groups')}
                    description={t('Members of a group also count as members of its parent groups.')}
                    disabled={disabled}
                  />
                  <CheckboxField
                    control={control}
                    name="require_group"
                    label={t('Only members of mapped groups')}
                    description={t('Other users of the directory cannot sign in.')}
                    disabled={disabled}
                  />
                  <MappingFields
                    control={control}
                    roles={roles}
                    places={places}
                    lockedReason={locked}
                    required={requiresGroup}
                  />
                </div>
              </Section>
              <DirectoryLookup read={() => toDirectoryInput(edit.form.getValues(), directory)} lockedReason={locked} />
            </>
          );
        }}
      </VersionedSettings>
    </div>
  );
}
