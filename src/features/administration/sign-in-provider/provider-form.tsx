'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useWatch } from 'react-hook-form';
import {
  OIDC_CALLBACK_PATH,
  OIDC_SIGNED_OUT_PATH,
  type SignInProvider,
  SignInProviderInput,
} from '@/domain/sign-in-provider';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { CodeBlock } from '@/ui/code-block';
import { CheckboxField } from '@/ui/form/checkbox-field';
import { PasswordField } from '@/ui/form/password-field';
import { TextField } from '@/ui/form/text-field';
import { Notice } from '@/ui/notice';
import { Section } from '@/ui/section';
import { showToast } from '@/ui/toast';
import { useReadAgain } from '../../shared/record-cache';
import { useVersionedForm } from '../../shared/use-versioned-form';
import { VersionedSettings } from '../../shared/versioned-form';
import { useRoleChoices, useRolePlaces } from '../use-choices';
import { CheckResult } from './check-result';
import { MappingFields } from './mapping-fields';
import { toProviderInput, toProviderValues } from './provider-values';

const ISSUER_EXAMPLE = 'https://id.example.org/realms/staff';

/** The form over one reading of the provider. Give it the version as key: a newer reading is a new form. */
export function ProviderForm({ provider }: { provider: SignInProvider }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const readAgain = useReadAgain();
  const roles = useRoleChoices();
  const places = useRolePlaces();
  const edit = useVersionedForm({
    opened: provider,
    read: () => readAgain(trpc.signInProvider.get.queryOptions()),
    schema: SignInProviderInput,
    toValues: (stored) => toProviderValues(stored, window.location.origin),
    toInput: toProviderInput,
    save: (input) => client.signInProvider.update.mutate(input),
    onSaved: (saved) => {
      queryClient.setQueryData(trpc.signInProvider.get.queryKey(), saved);
      showToast('ok', {
        title: t('{enabled, select, true {Saved; people can sign in with it} other {Saved}}', {
          enabled: saved.enabled,
        }),
      });
    },
  });
  const { control } = edit.form;
  const { public_url, public_client, issuer, scopes, sign_out_at_provider } = useWatch({ control });
  const check = useMutation(trpc.signInProvider.check.mutationOptions());
  const checkFailure = check.error ? failureOf(check.error) : null;
  return (
    <div className="flex max-w-3xl flex-col gap-4">
      <VersionedSettings
        edit={edit}
        submitLabel={t('Save provider')}
        outdatedTitle={t('Somebody else changed the sign-in provider')}
      >
        {(locked) => (
          <>
            <Section title={t('Provider')}>
              <div className="flex flex-col gap-3">
                <CheckboxField
                  control={control}
                  name="enabled"
                  label={t('Let people sign in with it')}
                  description={t('The sign-in page then shows its button.')}
                  disabled={locked !== null}
                />
                <TextField
                  control={control}
                  name="label"
                  label={t('Name')}
                  maxLength={60}
                  description={t('The button says “Sign in with” and this name.')}
                  disabled={locked !== null}
                />
                <TextField
                  control={control}
                  name="issuer"
                  label={t('Issuer')}
                  mono
                  maxLength={500}
                  placeholder={ISSUER_EXAMPLE}
                  description={t('Exactly as the provider writes it, a slash at the end included.')}
                  disabled={locked !== null}
                />
                <div className="flex flex-col items-start gap-2">
                  <Button
                    size="sm"
                    onClick={() => check.mutate({ issuer: issuer ?? '' })}
                    pending={check.isPending}
                    disabledReason={locked ?? (issuer ? null : t('Enter the issuer first'))}
                  >
                    {t('Check issuer')}
                  </Button>
                  {check.data && (
                    <CheckResult check={check.data} scopes={(scopes ?? '').split(/\s+/).filter(Boolean)} />
                  )}
                  {checkFailure && (
                    <Notice tone="danger" title={t('The provider cannot be used')} live>
                      {checkFailure.errors?.[0]?.message ?? checkFailure.detail}
                    </Notice>
                  )}
                </div>
                <TextField
                  control={control}
                  name="client_id"
                  label={t('Client id')}
                  mono
                  maxLength={300}
                  disabled={locked !== null}
                />
                <CheckboxField
                  control={control}
                  name="public_client"
                  label={t('The client has no secret')}
                  description={t('A public client: only its redirect address and PKCE protect it.')}
                  disabled={locked !== null}
                />
                {!public_client && (
                  <PasswordField
                    control={control}
                    name="client_secret"
                    label={t('Client secret')}
                    autoComplete="off"
                    optional={provider.has_client_secret}
                    placeholder={provider.has_client_secret ? t('Stored; leave empty to keep it') : undefined}
                    disabled={locked !== null}
                  />
                )}
                <TextField
                  control={control}
                  name="scopes"
                  label={t('Scopes')}
                  mono
                  description={t('What the provider is asked for; openid is always among them.')}
                  disabled={locked !== null}
                />
              </div>
            </Section>
            <Section title={t('This service')}>
              <div className="flex flex-col gap-3">
                <TextField
                  control={control}
                  name="public_url"
                  label={t('Public address')}
                  mono
                  maxLength={500}
                  description={t('The address under which people open Fabric.')}
                  disabled={locked !== null}
                />
                <p>{t('Register this redirect address for the client at the provider:')}</p>
                <CodeBlock
                  label={t('Redirect address')}
                  code={`${(public_url ?? '').replace(/\/+$/, '')}${OIDC_CALLBACK_PATH}`}
                  wrap
                />
                <CheckboxField
                  control={control}
                  name="sign_out_at_provider"
                  label={t('Sign out at the provider, too')}
                  description={t('Signing out of Fabric leads to the provider, which ends its own session.')}
                  disabled={locked !== null}
                />
                {sign_out_at_provider && (
                  <>
                    <p>{t('Register this address for the client as post-logout redirect address:')}</p>
                    <CodeBlock
                      label={t('Post-logout redirect address')}
                      code={`${(public_url ?? '').replace(/\/+$/, '')}${OIDC_SIGNED_OUT_PATH}`}
                      wrap
                    />
                  </>
                )}
              </div>
            </Section>
            <Section title={t('Accounts')}>
              <div className="flex flex-col gap-3">
                <CheckboxField
                  control={control}
                  name="create_users"
                  label={t('Create an account at the first sign-in')}
                  description={t(
                    'For whoever has a verified email address at the provider. Without a role it shows nothing.',
                  )}
                  disabled={locked !== null}
                />
                <CheckboxField
                  control={control}
                  name="link_by_email"
                  label={t('Let the owner of a verified email address into the account that has it')}
                  description={t(
                    'Only accounts that belong to nobody at the provider yet. Trust the provider to verify addresses before you switch it on.',
                  )}
                  disabled={locked !== null}
                />
                <CheckboxField
                  control={control}
                  name="trusts_second_factor"
                  label={t('The provider asks for a second factor')}
                  description={t('Then Fabric does not ask for its own, and roles that ask for one are content.')}
                  disabled={locked !== null}
                />
              </div>
            </Section>
            <Section
              title={t('Roles of groups')}
              description={t('Given and taken at every sign-in. Roles that were given by hand stay as they are.')}
            >
              <div className="flex flex-col gap-3">
                <TextField
                  control={control}
                  name="group_claim"
                  label={t('Group claim')}
                  mono
                  maxLength={200}
                  description={t('The name of the claim, or a path such as realm_access.roles.')}
                  disabled={locked !== null}
                />
                <MappingFields control={control} roles={roles} places={places} lockedReason={locked} />
              </div>
            </Section>
          </>
        )}
      </VersionedSettings>
    </div>
  );
}
