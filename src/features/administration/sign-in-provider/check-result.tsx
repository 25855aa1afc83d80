import type { ProviderCheck } from '@/domain/sign-in-provider';
import { Mono } from '@/ui/mono';
import { Notice } from '@/ui/notice';

/** What the provider said of itself when it was asked. */
export function CheckResult({ check, scopes }: { check: ProviderCheck; scopes: readonly string[] }) {
  const supported = check.scopes_supported;
  const unknown = supported === null ? [] : scopes.filter((scope) => !supported.includes(scope));
  return (
    <Notice tone={unknown.length > 0 ? 'warn' : 'ok'} title="The provider answers" live>
      <p>
        People are sent to <Mono wrap>{check.authorization_endpoint}</Mono>.
      </p>
      {check.pkce === null && <p>It does not say whether it knows PKCE; it is used all the same.</p>}
      {unknown.length > 0 && (
        <p>
          It does not list the scope <Mono>{unknown.join(', ')}</Mono>. It lists{' '}
          <Mono wrap>{supported?.join(', ')}</Mono>.
        </p>
      )}
    </Notice>
  );
}
