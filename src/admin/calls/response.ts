import * as z from 'zod';
import { callFields } from '../logged-call.ts';

export const callAnswer = z.object({ call: callFields });
