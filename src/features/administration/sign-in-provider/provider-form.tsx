'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useWatch } from 'react-hook-form';
import { OIDC_CALLBACK_PATH, OIDC_SIGNED_OUT_PATH } from '@/domain/choices';
import type { SignInProvider } from '@/domain/sign-in-provider';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
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

const loadProviderInput = () => import('@/domain/sign-in-provider').then((module) => module.SignInProviderInput);

/** The form of the provider. */
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
    schema: loadProviderInput,
    toValues: (stored) => toProviderValues(stored, window.location.origin),
    toInput: toProviderInput,
    save: (input) => client.signInProvider.update.mutate(input),
    onSaved: (saved) => {
      queryClient.setQueryData(trpc.signInProvider.get.queryKey(), saved);
      edit.show(saved);
      showToast('ok', {
        title: t('{enabled, select, true {Saved. Sign-in with the provider is enabled} other {Saved}}', {
          enabled: saved.enabled,
        }),
      });
    },
  });
  const { control } = edit.form;
  const { public_url, public_client, issuer, scopes, sign_out_at_provider } = useWatch({ control });
  const check = useMutation(trpc.signInProvider.check.mutationOptions());
  const checkFailure = check.error ? toFailure(check.error) : null;
  return (
    <div className="flex max-w-3xl flex-col gap-4">
      <VersionedSettings
        edit={edit}
        stored={provider}
        submitLabel={t('Save provider')}
        outdatedTitle={t('Another user changed the sign-in provider')}
      >
        {(locked) => (
          <>
            <Section title={t('Provider')}>
              <div className="flex flex-col gap-3">
                <CheckboxField
                  control={control}
                  name="enabled"
                  label={t('Enable sign-in with this provider')}
                  description={t("Shows the provider's button on the sign-in page.")}
                  disabled={locked !== null}
                />
                <TextField
                  control={control}
                  name="label"
                  label={t('Name')}
                  maxLength={60}
                  description={t('Shown on the sign-in button: “Sign in with” and this name.')}
                  disabled={locked !== null}
                />
                <TextField
                  control={control}
                  name="issuer"
                  label={t('Issuer')}
                  mono
                  maxLength={500}
                  placeholder={ISSUER_EXAMPLE}
                  description={t('Exactly as the provider publishes it, including any trailing slash.')}
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
                    <Notice tone="danger" title={t('Provider check failed')} live>
                      {checkFailure.errors?.[0]?.message ?? checkFailure.detail}
                    </Notice>
                  )}
                </div>
                <TextField
                  control={control}
                  name="client_id"
                  label={t('Client ID')}
                  mono
                  maxLength={300}
                  disabled={locked !== null}
                />
                <CheckboxField
                  control={control}
                  name="public_client"
                  label={t('Public client (no secret)')}
                  description={t('Public client, protected only by its redirect URI and PKCE.')}
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
                  description={t('Scopes requested from the provider. openid is always included.')}
                  disabled={locked !== null}
                />
              </div>
            </Section>
            <Section title={t('This service')}>
              <div className="flex flex-col gap-3">
                <TextField
                  control={control}
                  name="public_url"
                  label={t('Public URL')}
                  mono
                  maxLength={500}
                  description={t('The URL at which users open Fabric.')}
                  disabled={locked !== null}
                />
                <p>{t('Register this redirect URI for the client at the provider:')}</p>
                <CodeBlock
                  label={t('Redirect URI')}
                  code={`${(public_url ?? '').replace(/\/+$/, '')}${OIDC_CALLBACK_PATH}`}
                  wrap
                />
                <CheckboxField
                  control={control}
                  name="sign_out_at_provider"
                  label={t('Also sign out at the provider')}
                  description={t('Signing out of Fabric redirects to the provider, which ends its own session.')}
                  disabled={locked !== null}
                />
                {sign_out_at_provider && (
                  <>
                    <p>{t('Register this post-logout redirect URI for the client:')}</p>
                    <CodeBlock
                      label={t('Post-logout redirect URI')}
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
                    'For users with a verified email address at the provider. Without a role, the account shows nothing.',
                  )}
                  disabled={locked !== null}
                />
                <CheckboxField
                  control={control}
                  name="link_by_email"
                  label={t('Link accounts by verified email address')}
                  description={t(
                    'Applies to accounts not yet linked to a provider account. Enable only if the provider verifies email addresses.',
                  )}
                  disabled={locked !== null}
                />
                <CheckboxField
                  control={control}
                  name="trusts_second_factor"
                  label={t('Provider enforces a second factor')}
                  description={t(
                    "Fabric then skips its own second factor, and roles that require one accept the provider's.",
                  )}
                  disabled={locked !== null}
                />
              </div>
            </Section>
            <Section
              title={t('Roles by group')}
              description={t('Assigned and unassigned at every sign-in. Manually assigned roles stay.')}
            >
              <div className="flex flex-col gap-3">
                <TextField
                  control={control}
                  name="group_claim"
                  label={t('Groups claim')}
                  mono
                  maxLength={200}
                  description={t('Name of the claim, or a path such as realm_access.roles.')}
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
