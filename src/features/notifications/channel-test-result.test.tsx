import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { NotificationDelivery } from '@/domain/notifications/delivery';
import { ChannelTestResult, getTestAdvice } from './channel-test-result';

const delivery = (more: Partial<NotificationDelivery>) =>
  ({
    channel_kind: 'webhook',
    status: 'failed',
    attempts: 1,
    response_status: null,
    error: 'No response.',
    ...more,
  }) as NotificationDelivery;
const shown = (more: Partial<NotificationDelivery>) =>
  renderToStaticMarkup(
    <ChannelTestResult result={{ channel_name: 'Chat', delivery: delivery(more), failure: null }} />,
  );

describe('ChannelTestResult', () => {
  it('states what failed, why, and what to do', () => {
    const text = shown({ response_status: 404, error: 'The receiver returned status 404.' });
    for (const part of ['Test of Chat failed', 'status 404', 'Create the webhook again']) expect(text).toContain(part);
  });

  it('shows a first attempt that failed although it is retried', () => {
    expect(shown({ status: 'queued', error: 'No response.' })).toContain('Test of Chat failed');
    expect(shown({ status: 'queued', attempts: 0, error: null })).toContain('Sending test to Chat');
    expect(shown({ status: 'sent', response_status: 204, error: null })).toContain('The receiver returned status 204.');
  });

  it('has advice for every kind of answer', () => {
    const advice = [null, 301, 400, 401, 403, 404, 410, 422, 429, 500, 503].map((response_status) =>
      getTestAdvice(delivery({ response_status })),
    );
    expect(new Set(advice).size).toBe(6);
    expect(getTestAdvice(delivery({ channel_kind: 'email', response_status: 550 }))).toContain('mail server');
  });
});
