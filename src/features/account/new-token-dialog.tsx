'use client';
import type { CreatedApiToken } from '@/domain/account';
import { Button } from '@/ui/button';
import { CodeBlock } from '@/ui/code-block';
import { Dialog } from '@/ui/dialog';
import { Notice } from '@/ui/notice';

/** Shows a new token, this once. */
export function NewTokenDialog({ token, onClose }: { token: CreatedApiToken; onClose: () => void }) {
  const example = `curl -H 'Authorization: Bearer ${token.token}' \\\n  ${window.location.origin}/api/v1/auth/me`;
  return (
    <Dialog open onOpenChange={(next) => !next && onClose()} title={`Token ${token.name}`} persistent>
      <div className="flex flex-col gap-4">
        <Notice tone="warn" title="Copy it now">
          It is stored as a hash and cannot be shown again. Whoever has it can do what it may do.
        </Notice>
        <CodeBlock label="API token" code={token.token} wrap />
        <CodeBlock label="Example" code={example} wrap />
        <div className="flex justify-end">
          <Button variant="primary" onClick={onClose}>
            I have copied it
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
