import type { ProviderCheck } from '@/domain/sign-in-provider';
import { useT } from '@/lib/i18n/use-t';
import { Notice } from '@/ui/notice';
import { Mono } from '@/ui/values';

/** What the provider said of itself when it was asked. */
export function CheckResult({ check, scopes }: { check: ProviderCheck; scopes: readonly string[] }) {
  const t = useT();
  const supported = check.scopes_supported;
  const unknown = supported === null ? [] : scopes.filter((scope) => !supported.includes(scope));
  return (
    <Notice tone={unknown.length > 0 ? 'warn' : 'ok'} title={t('The provider answers')} live>
      <p>{t.rich('People are sent to {address}.', { address: <Mono wrap>{check.authorization_endpoint}</Mono> })}</p>
      {check.pkce === null && <p>{t('It does not say whether it knows PKCE; it is used all the same.')}</p>}
      {check.end_session_endpoint === null && (
        <p>{t('It has no address to sign out at: signing out ends the session of Fabric only.')}</p>
      )}
      {unknown.length > 0 && (
        <p>
          {t.rich('It does not list the scope {scope}. It lists {listed}.', {
            scope: <Mono>{unknown.join(', ')}</Mono>,
            listed: <Mono wrap>{supported?.join(', ')}</Mono>,
          })}
        </p>
      )}
    </Notice>
  );
}
