/** The script of the page: search, and open everything for print. Plain syntax, because it is not compiled. */
export const SCRIPT = String.raw`
(() => {
  const all = selector => [...document.querySelectorAll(selector)]
  const form = document.getElementById('controls')
  const find = document.getElementById('find')
  if (form && find) {
    let rows
    const narrow = () => {
      rows = rows || all('.card, .rows > .row, .picture tbody tr')
        .filter(element => !element.parentElement.closest('.row'))
        .map(element => ({ element, text: element.textContent.toLowerCase(), isCard: element.matches('.card') }))
      const words = find.value.toLowerCase().split(/\s+/).filter(word => word !== '')
      let shown = 0
      let whole = 0
      for (const { element, text, isCard } of rows) {
        element.hidden = !words.every(word => text.includes(word))
        if (!isCard) continue
        whole++
        if (!element.hidden) shown++
      }
      document.getElementById('shown').textContent = words.length === 0 ? '' : shown + ' of ' + whole + ' shown'
    }
    form.hidden = false
    form.addEventListener('submit', event => event.preventDefault())
    form.addEventListener('input', narrow)
    document.addEventListener('keydown', event => {
      const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)
      if (event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping) {
        event.preventDefault()
        find.focus()
      } else if (event.key === 'Escape' && event.target === find) {
        find.value = ''
        find.blur()
        narrow()
      }
    })
  }
  let closed = []
  addEventListener('beforeprint', () => {
    closed = all('details').filter(details => !details.open)
    for (const details of closed) details.open = true
  })
  addEventListener('afterprint', () => {
    for (const details of closed) details.open = false
  })
})()
`
