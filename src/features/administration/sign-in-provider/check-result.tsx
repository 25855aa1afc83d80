import type { ProviderCheck } from '@/domain/sign-in-provider';
import { useT } from '@/lib/i18n/use-t';
import { Notice } from '@/ui/notice';
import { Mono } from '@/ui/values';

/** What the provider reported about itself when it was queried. */
export function CheckResult({ check, scopes }: { check: ProviderCheck; scopes: readonly string[] }) {
  const t = useT();
  const supported = check.scopes_supported;
  const unknown = supported === null ? [] : scopes.filter((scope) => !supported.includes(scope));
  return (
    <Notice tone={unknown.length > 0 ? 'warn' : 'ok'} title={t('Provider reachable')} live>
      <p>
        {t.rich('Users are redirected to {address}.', { address: <Mono wrap>{check.authorization_endpoint}</Mono> })}
      </p>
      {check.pkce === null && <p>{t('The provider does not advertise PKCE support; Fabric uses PKCE anyway.')}</p>}
      {check.end_session_endpoint === null && (
        <p>{t('The provider has no logout endpoint: signing out ends only the Fabric session.')}</p>
      )}
      {unknown.length > 0 && (
        <p>
          {t.rich('The provider does not list the scope {scope}. Supported scopes: {listed}.', {
            scope: <Mono>{unknown.join(', ')}</Mono>,
            listed: <Mono wrap>{supported?.join(', ')}</Mono>,
          })}
        </p>
      )}
    </Notice>
  );
}
