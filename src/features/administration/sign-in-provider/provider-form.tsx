'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useForm, useWatch } from 'react-hook-form';
import {
  OIDC_CALLBACK_PATH,
  OIDC_SIGNED_OUT_PATH,
  type SignInProvider,
  SignInProviderInput,
} from '@/domain/sign-in-provider';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { CodeBlock } from '@/ui/code-block';
import { CheckboxField } from '@/ui/form/checkbox-field';
import { FormShell } from '@/ui/form/form-shell';
import { PasswordField } from '@/ui/form/password-field';
import { TextField } from '@/ui/form/text-field';
import { Notice } from '@/ui/notice';
import { Section } from '@/ui/section';
import { showToast } from '@/ui/toast';
import { domainResolver } from '../../shared/domain-resolver';
import { usePermissions } from '../../shared/use-permissions';
import { useRoleChoices, useRolePlaces } from '../use-choices';
import { CheckResult } from './check-result';
import { MappingFields } from './mapping-fields';
import { type ProviderValues, toProviderInput, toProviderValues } from './provider-values';

const ISSUER_EXAMPLE = 'https://id.example.org/realms/staff';

/** The form over one reading of the provider. Give it the version as key: a newer reading is a new form. */
export function ProviderForm({ provider, onReload }: { provider: SignInProvider; onReload: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { reason } = usePermissions();
  const roles = useRoleChoices();
  const places = useRolePlaces();
  const locked = reason('*');
  const disabled = locked !== null;
  const form = useForm<ProviderValues, unknown, SignInProviderInput>({
    defaultValues: toProviderValues(provider, window.location.origin),
    resolver: domainResolver(SignInProviderInput, (values: ProviderValues) => toProviderInput(values, provider)),
  });
  const { control } = form;
  const { public_url, public_client, issuer, scopes, sign_out_at_provider } = useWatch({ control });
  const save = useMutation(
    trpc.signInProvider.update.mutationOptions({
      onSuccess: (saved) => {
        queryClient.setQueryData(trpc.signInProvider.get.queryKey(), saved);
        showToast('ok', {
          title: t('{enabled, select, true {Saved; people can sign in with it} other {Saved}}', {
            enabled: saved.enabled,
          }),
        });
      },
    }),
  );
  const check = useMutation(trpc.signInProvider.check.mutationOptions());
  const failure = save.error ? failureOf(save.error) : null;
  const outdated = failure?.code === 'version_conflict';
  const checkFailure = check.error ? failureOf(check.error) : null;
  const { isDirty } = form.formState;
  return (
    <div className="flex max-w-3xl flex-col gap-4">
      {locked && (
        <Notice tone="info" title={t('You can look, not change')}>
          {locked}
        </Notice>
      )}
      {outdated && (
        <Notice
          tone="warn"
          live
          title={t('Somebody else changed the sign-in provider')}
          action={
            <Button size="sm" onClick={onReload}>
              {t('Show their settings')}
            </Button>
          }
        >
          {t('Your changes are not saved. Look at the new settings, then change them again.')}
        </Notice>
      )}
      <FormShell
        form={form}
        onSubmit={(input) => save.mutate(input)}
        error={outdated ? null : failure}
        pending={save.isPending}
        submitLabel={t('Save provider')}
        disabledReason={locked ?? (isDirty ? null : t('Nothing has changed'))}
        onCancel={isDirty ? () => form.reset() : undefined}
        cancelLabel={t('Undo changes')}
      >
        <Section title={t('Provider')}>
          <div className="flex flex-col gap-3">
            <CheckboxField
              control={control}
              name="enabled"
              label={t('Let people sign in with it')}
              description={t('The sign-in page then shows its button.')}
              disabled={disabled}
            />
            <TextField
              control={control}
              name="label"
              label={t('Name')}
              maxLength={60}
              description={t('The button says “Sign in with” and this name.')}
              disabled={disabled}
            />
            <TextField
              control={control}
              name="issuer"
              label={t('Issuer')}
              mono
              maxLength={500}
              placeholder={ISSUER_EXAMPLE}
              description={t('Exactly as the provider writes it, a slash at the end included.')}
              disabled={disabled}
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
              {check.data && <CheckResult check={check.data} scopes={(scopes ?? '').split(/\s+/).filter(Boolean)} />}
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
              disabled={disabled}
            />
            <CheckboxField
              control={control}
              name="public_client"
              label={t('The client has no secret')}
              description={t('A public client: only its redirect address and PKCE protect it.')}
              disabled={disabled}
            />
            {!public_client && (
              <PasswordField
                control={control}
                name="client_secret"
                label={t('Client secret')}
                autoComplete="off"
                optional={provider.has_client_secret}
                placeholder={provider.has_client_secret ? t('Stored; leave empty to keep it') : undefined}
                disabled={disabled}
              />
            )}
            <TextField
              control={control}
              name="scopes"
              label={t('Scopes')}
              mono
              description={t('What the provider is asked for; openid is always among them.')}
              disabled={disabled}
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
              disabled={disabled}
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
              disabled={disabled}
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
              disabled={disabled}
            />
            <CheckboxField
              control={control}
              name="link_by_email"
              label={t('Let the owner of a verified email address into the account that has it')}
              description={t(
                'Only accounts that belong to nobody at the provider yet. Trust the provider to verify addresses before you switch it on.',
              )}
              disabled={disabled}
            />
            <CheckboxField
              control={control}
              name="trusts_second_factor"
              label={t('The provider asks for a second factor')}
              description={t('Then Fabric does not ask for its own, and roles that ask for one are content.')}
              disabled={disabled}
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
              disabled={disabled}
            />
            <MappingFields control={control} roles={roles} places={places} lockedReason={locked} />
          </div>
        </Section>
      </FormShell>
    </div>
  );
}
