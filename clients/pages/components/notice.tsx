import type { Child } from 'hono/jsx';

interface NoticeProps {
  /** Whether something was done, was not done, or should be known. */
  readonly kind: 'done' | 'failure' | 'known';
  readonly children: Child;
}

/** Something to be noticed. It is read out where it appears, at once if something was not done. */
export const Notice = ({ kind, children }: NoticeProps) => (
  <div class={`notice ${kind}`} role={kind === 'failure' ? 'alert' : 'status'}>
    {children}
  </div>
);
