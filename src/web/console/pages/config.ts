// The configuration as it holds: every option with its value, those that the file does not have marked as defaults.
import { html } from 'hono/html';
import type { ConfigurationAnswer, OptionAnswer } from '../../../operator/answers/configuration.ts';
import { readConfiguration } from '../../../operator/configuration.ts';
import { jobsOf } from '../../../operator/select.ts';
import { count, empty, type Html } from '../html.ts';
import type { Page, PageContext } from '../page.ts';

/** With more jobs, each has a page of its own. */
const jobsTogether = 6;

export async function configPage({ operator, query }: PageContext): Promise<Page> {
  const job = query('job');
  const jobs = jobsOf(operator.config).map(({ name }) => name);
  const shown = job === undefined ? (jobs.length <= jobsTogether ? jobs : []) : [job];
  const { path, sections } = readConfiguration(operator, shown);
  const meant = job === undefined ? sections : sections.filter(({ name }) => name === job);
  const body = html`<p class="quiet">
      From <code>${path}</code>. Secrets are masked. To change an option, edit the file, then restart:
      <code>leadsheet check</code> says whether it is right.
    </p>
    ${job === undefined ? '' : html`<p><a href="/config">The whole configuration</a></p>`} ${meant.map(section)}
    ${job === undefined && shown.length < jobs.length ? jobLinks(jobs) : ''}`;
  return { title: job === undefined ? 'Configuration' : `Configuration of ${job}`, body };
}

function section({ name, options }: ConfigurationAnswer['sections'][number]): Html {
  if (options.length === 0)
    return html`<h2>${name}</h2>
      ${empty('Nothing is set.')}`;
  return html`<h2>${name}</h2>
    <div class="scroll" tabindex="0" role="region" aria-label="${name}">
      <table class="options">
        <thead>
          <tr>
            <th scope="col">Option</th>
            <th scope="col">Value</th>
            <th scope="col">From</th>
          </tr>
        </thead>
        <tbody>
          ${options.map(optionRow)}
        </tbody>
      </table>
    </div>`;
}

function optionRow({ option, value, is_default: isDefault }: OptionAnswer): Html {
  return html`<tr class="${isDefault ? 'default' : ''}">
    <th scope="row"><code>${option}</code></th>
    <td>${valueText(value)}</td>
    <td>${isDefault ? 'default' : 'the file'}</td>
  </tr>`;
}

function valueText(value: OptionAnswer['value']): Html {
  if (value === null) return html`<span class="blank">none</span>`;
  if (Array.isArray(value)) {
    return value.length === 0 ? html`<span class="blank">none</span>` : html`<bdi>${value.join(', ')}</bdi>`;
  }
  return html`<bdi>${String(value)}</bdi>`;
}

function jobLinks(jobs: readonly string[]): Html {
  const links = jobs.map((name) => html`<li><a href="/config?job=${encodeURIComponent(name)}">${name}</a></li>`);
  return html`<h2>${count(jobs.length, 'job')}</h2>
    <ul class="columns">
      ${links}
    </ul>`;
}
