import type { PolicyPreview } from '@/domain/policy-preview';
import { useT } from '@/lib/i18n/use-t';
import { TextInput } from '@/ui/text-input';
import { FailingTestsNotice } from '../../shared/policy-tests/test-views';

/** A reason of this length is enough. */
export const LEAST_REASON = 3;

type Props = {
  preview: PolicyPreview;
  /** Null: the user may not override them. */
  reason: string | null;
  onReasonChange: (reason: string) => void;
};

/** The tests that would fail, and the reason to override them. */
export function OverrideTests({ preview, reason, onReasonChange }: Props) {
  const t = useT();
  return (
    <FailingTestsNotice preview={preview}>
      {reason === null ? (
        <p>{t('Change the policy, or ask someone who may override policy tests.')}</p>
      ) : (
        <TextInput
          aria-label={t('Reason to apply nevertheless')}
          placeholder={t('Reason to apply nevertheless')}
          value={reason}
          onChange={(event) => onReasonChange(event.target.value)}
          maxLength={500}
          className="mt-2"
        />
      )}
    </FailingTestsNotice>
  );
}
