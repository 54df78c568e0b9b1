import { type Html, markup } from "./html.ts";
import { option } from "./request_form.ts";

const ATTRIBUTE_TYPES = ["String", "Number", "String.Array", "Binary"];

/** The form that fires a schedule. */
export function createScheduleForm(functionName: string, schedule: string): Html {
  return markup`
<form data-form="schedule" data-function="${functionName}">
<p>Fires by itself: <code>${schedule}</code></p>
<button>Fire now</button>
<output></output>
</form>`;
}

/** The form that uploads objects, and the list of those there are. */
export function createBucketForm(functionName: string, bucket: string): Html {
  const title = `Objects of ${bucket}, of which ${functionName} is told`;
  return markup`
<form data-form="upload" data-bucket="${bucket}">
<p>Bucket <code>${bucket}</code></p>
<div class="row">
<label class="wide">File<input type="file" name="file" required></label>
<label class="wide">Key
<input name="key" placeholder="the name of the file" spellcheck="false"></label>
</div>
<button>Upload</button>
<output></output>
<ul class="objects" data-objects="${bucket}" aria-label="${title}"></ul>
</form>`;
}

/** The form that publishes a message. */
export function createTopicForm(functionName: string, topic: string): Html {
  return markup`
<form data-form="publish" data-topic="${topic}">
<p>Topic <code>${topic}</code>, to which <b>${functionName}</b> is subscribed</p>
<label>Subject<input name="subject" maxlength="100"></label>
<label>Message<textarea name="message" rows="2" required></textarea></label>
<fieldset>
<legend>Attributes</legend>
<div class="row">
<label class="wide">Name<input name="attribute-name" spellcheck="false"></label>
<label>Type<select name="attribute-type">${ATTRIBUTE_TYPES.map(option)}</select></label>
<label class="wide">Value<input name="attribute-value" spellcheck="false"></label>
</div>
<button type="button" data-add="attribute">Another attribute</button>
</fieldset>
<button>Publish</button>
<output></output>
</form>`;
}
